import { ApiError } from "../contract/errors.ts";
import type { RefusedReason } from "../contract/event-reasons.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { DAY_MS, findTime } from "../lib/time.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import type { EventRules, Invalid } from "./check-event.ts";
import type { Log } from "./log.ts";
import { LogUnavailable } from "./log-errors.ts";
import { encodeRequest, type LoggedRequest } from "./logged-request.ts";
import { type Item, readBody } from "./read-body.ts";
import type { RecentIds } from "./recent-ids.ts";

export interface EventsRequest {
  workspaceId: string;
  projectId: string;
  rules: EventRules;
  /** In the pieces it came in. */
  body: readonly Uint8Array[];
  /** The content type says JSON lines. */
  lines: boolean;
  detail: boolean;
  country: string | undefined;
  /** Makes generated message ids repeatable when the request itself is; see http/events/handler.ts. */
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
  const taken = takeEvents(request);
  if (taken.kind === "refused") {
    await recordRefusal(deps, request, taken.why, taken.count);
    throw taken.error;
  }
  const { accepted, parked } = taken;
  // What is parked may be taken by a later version, which must find an id of its own for it, too.
  const needsIds = taken.ids.length < accepted || parked > 0;
  const logged: LoggedRequest = {
    projectId: request.projectId,
    workspaceId: request.workspaceId,
    receivedAtMs: deps.clock.nowMs(),
    rules: request.rules,
    lines: request.lines,
    idBase: request.idBase ?? (needsIds ? newId("msg") : ""),
    ...(request.idBase === undefined ? {} : { repeatable: true }),
    ...(request.country === undefined ? {} : { country: request.country }),
    ...(taken.clean ? { clean: true } : {}),
  };
  await append(deps, logged, request.body);
  deps.count("accepted", accepted);
  if (parked > 0) deps.count("parked", parked);
  const isKnown = ({ id, day }: MessageKey) => deps.recent.seen(request.projectId, id, day);
  const results = taken.results?.map(({ key, ...result }) =>
    key !== undefined && isKnown(key) ? { ...result, status: "duplicate" as const } : result,
  );
  if (results === undefined) taken.ids.forEach(isKnown);
  if (!taken.batch) return { success: true };
  return {
    success: true,
    accepted,
    parked,
    successful_rows: accepted,
    quarantined_rows: parked,
    ...(results ? { results } : {}),
  };
}

/**
 * What is left of a body once it is read. Its parsed events are not: while a full load waits for the disk they held 60 MB of
 * memory, and every collection moved them.
 */
type Taken =
  | { kind: "refused"; why: RefusedReason; count: number; error: ApiError }
  | {
      kind: "events";
      batch: boolean;
      /** One JSON document in which every event is valid. */
      clean: boolean;
      accepted: number;
      parked: number;
      /** Of accepted events, of those that have an id. */
      ids: MessageKey[];
      /** Only when the client asks for them. */
      results: (EventResult & { key?: MessageKey })[] | undefined;
    };

/** What an event counts once by: its message id, on a day of the client's own time. */
interface MessageKey {
  id: string;
  day: number;
}

function takeEvents({ body, rules, lines, detail }: EventsRequest): Taken {
  const read = readBody(joined(body), rules, lines);
  if (read.kind === "refused") {
    const { why, message, count = 1 } = read;
    const status = why === "too_many" ? { status: 413 } : {};
    return { kind: "refused", why, count, error: new ApiError("BAD_REQUEST", message, { param: "body", ...status }) };
  }
  const { items, batch } = read;
  const ids: MessageKey[] = [];
  let parked = 0;
  for (const item of items) {
    const key = keyOf(item);
    if (item.invalid !== undefined) parked += 1;
    else if (key !== undefined) ids.push(key);
  }
  if (parked === items.length) {
    const why = items[0]?.invalid?.why ?? "invalid_fields";
    return { kind: "refused", why, count: parked, error: refusal(items, batch) };
  }
  const clean = parked === 0 && !read.lines;
  const results = detail ? items.map(describeResult) : undefined;
  return { kind: "events", batch, clean, accepted: items.length - parked, parked, ids, results };
}

const JOINED = Buffer.allocUnsafeSlow(1024 * 1024);

/** The pieces as one, until the next call: nearly every body fits where the one before was. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only) return only;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > JOINED.length) return Buffer.concat(pieces, length);
  let at = 0;
  for (const piece of pieces) {
    JOINED.set(piece, at);
    at += piece.length;
  }
  return JOINED.subarray(0, length);
}

function keyOf({ event }: Item): MessageKey | undefined {
  const id = event?.message_id;
  if (typeof id !== "string" || id === "") return undefined;
  return { id, day: Math.floor((findTime(event?.original_timestamp) ?? 0) / DAY_MS) };
}

function describeResult(item: Item, index: number): EventResult & { key?: MessageKey } {
  if (item.invalid !== undefined)
    return { index, status: "parked", reason: item.invalid.why, details: item.invalid.failures };
  const key = keyOf(item);
  return { index, status: "accepted", ...(key === undefined ? {} : { key }) };
}

async function append(deps: AcceptDeps, request: LoggedRequest, body: readonly Uint8Array[]): Promise<void> {
  try {
    await deps.log.append(encodeRequest(request, body));
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
  why: RefusedReason,
  count: number,
): Promise<void> {
  deps.count("refused", count);
  const common = { projectId, workspaceId, rules, lines: false, idBase: "", receivedAtMs: deps.clock.nowMs() };
  const note = encodeRequest({ ...common, refused: { why, count } }, []);
  const noted = deps.log.append(note).catch((cause: unknown) => {
    // Of its own troubles the log tells itself, and once.
    if (!(cause instanceof LogUnavailable)) throw cause;
  });
  await tolerate(noted, deps.logger, "the client gets its 400; the ledger may miss the event");
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
