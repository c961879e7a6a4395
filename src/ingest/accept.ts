import { ApiError } from "../contract/errors.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import type { EventRules, Invalid } from "./check-event.ts";
import type { Log } from "./log.ts";
import { LogUnavailable } from "./log-errors.ts";
import { type Item, readBody } from "./read-body.ts";
import type { RecentIds } from "./recent-ids.ts";
import { encodeRecord, type RequestRecord } from "./record.ts";

export interface EventsRequest {
  workspaceId: string;
  projectId: string;
  rules: EventRules;
  body: Uint8Array;
  /** The content type says JSON lines. */
  lines: boolean;
  detail: boolean;
  country: string | undefined;
  /** Makes generated message ids repeatable when the request itself is; see http/events.ts. */
  idBase: string | undefined;
}

export interface EventsAccepted {
  success: true;
  accepted?: number;
  parked?: number;
  successful_rows?: number;
  quarantined_rows?: number;
  results?: EventResult[];
}

interface EventResult {
  index: number;
  status: "accepted" | "duplicate" | "parked";
  reason?: string;
  details?: Record<string, string>;
}

export interface AcceptDeps {
  log: Pick<Log, "append">;
  clock: Clock;
  recent: RecentIds;
  logger: WarnLog;
  count(outcome: "accepted" | "parked" | "refused", events: number): void;
}

/** Resolves once every accepted event is on disk. Throws the public error otherwise; then nothing was taken. */
export async function acceptEvents(deps: AcceptDeps, request: EventsRequest): Promise<EventsAccepted> {
  const record: RequestRecord = {
    projectId: request.projectId,
    workspaceId: request.workspaceId,
    receivedAtMs: deps.clock.nowMs(),
    rules: request.rules,
    lines: request.lines,
    idBase: request.idBase ?? newId("msg"),
    ...(request.idBase === undefined ? {} : { repeatable: true }),
    ...(request.country === undefined ? {} : { country: request.country }),
  };
  const read = readBody(request.body, request.rules, request.lines);
  if (read.kind === "refused") {
    await recordRefusal(deps, request, read.why, read.count ?? 1);
    throw new ApiError("BAD_REQUEST", read.message, {
      param: "body",
      ...(read.why === "too_many" ? { status: 413 } : {}),
    });
  }
  const { items, batch } = read;
  const invalid = items.filter((item) => item.invalid !== undefined).length;
  if (invalid === items.length) {
    await recordRefusal(deps, request, items[0]?.invalid?.why ?? "invalid_fields", items.length);
    throw refusal(items, batch);
  }
  await append(deps, invalid === 0 && !read.lines ? { ...record, clean: true } : record, request.body);
  deps.count("accepted", items.length - invalid);
  if (invalid > 0) deps.count("parked", invalid);
  const results = request.detail ? describeResults(deps, request, items) : rememberIds(deps, request, items);
  if (!batch) return { success: true };
  const accepted = items.length - invalid;
  return {
    success: true,
    accepted,
    parked: invalid,
    successful_rows: accepted,
    quarantined_rows: invalid,
    ...(results ? { results } : {}),
  };
}

async function append(deps: AcceptDeps, record: RequestRecord, body: Uint8Array): Promise<void> {
  try {
    await deps.log.append(encodeRecord(record, body));
  } catch (cause) {
    if (!(cause instanceof LogUnavailable)) throw cause;
    const retryAfter = String(Math.ceil(cause.retryAfterMs / 1000));
    throw new ApiError("SERVICE_UNAVAILABLE", "Events cannot be stored now; none of this request was taken", {
      headers: { "Retry-After": retryAfter },
      cause,
    });
  }
}

/**
 * Refused events count as received too, so that the ledger adds up: each of them, or one for a body that cannot be read. If that
 * cannot be noted, the refusal still stands.
 */
export async function recordRefusal(
  deps: AcceptDeps,
  { projectId, workspaceId, rules }: Pick<EventsRequest, "projectId" | "workspaceId" | "rules">,
  why: string,
  count: number,
): Promise<void> {
  deps.count("refused", count);
  const common = { projectId, workspaceId, rules, lines: false, idBase: "", receivedAtMs: deps.clock.nowMs() };
  const note = encodeRecord({ ...common, refused: { why, count } }, new Uint8Array(0));
  await tolerate(deps.log.append(note), deps.logger, "the client gets its 400 whether or not the ledger knows");
}

function refusal(items: readonly Item[], batch: boolean): ApiError {
  const details: Record<string, string> = {};
  let total = 0;
  items.forEach((item, index) => {
    for (const [path, message] of failuresOf(item.invalid, batch ? `body.${index}` : "body")) {
      total += 1;
      if (total <= LIMITS.validationFailures) details[path] = message;
    }
  });
  const [first] = Object.entries(details);
  const only = items[0]?.invalid?.why;
  const more = total > 1 ? ` (and ${total - 1} more, see details)` : "";
  const what = batch ? "No event of the batch is valid" : "The event is not valid";
  return new ApiError("INVALID_VALIDATION_REQUEST", `${what}: ${first?.[0]} ${first?.[1]}${more}`, {
    details,
    ...(first ? { param: first[0] } : {}),
    ...(!batch && only === "too_large" ? { status: 413 } : {}),
  });
}

function failuresOf(invalid: Invalid | undefined, base: string): [string, string][] {
  return Object.entries(invalid?.failures ?? {}).map(([field, message]) => [
    field === "" ? base : `${base}.${field}`,
    message,
  ]);
}

function rememberIds(deps: AcceptDeps, request: EventsRequest, items: readonly Item[]): undefined {
  for (const item of items) if (item.invalid === undefined) isKnown(deps, request, item);
}

function isKnown(deps: AcceptDeps, request: EventsRequest, item: Item): boolean {
  const messageId = item.event?.message_id;
  return typeof messageId === "string" && messageId !== "" && deps.recent.seen(request.projectId, messageId);
}

function describeResults(deps: AcceptDeps, request: EventsRequest, items: readonly Item[]): EventResult[] {
  return items.map((item, index) => {
    if (item.invalid !== undefined)
      return { index, status: "parked", reason: item.invalid.why, details: item.invalid.failures };
    return { index, status: isKnown(deps, request, item) ? "duplicate" : "accepted" };
  });
}
