import { ApiError } from "../contract/errors.ts";
import type { RefusedReason } from "../contract/event-reasons.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import type { BodyThread } from "./body-thread.ts";
import type { Log } from "./log.ts";
import { LogUnavailable } from "./log-errors.ts";
import { encodeRequest, type LoggedBody, type LoggedRequest } from "./logged-request.ts";
import type { RecentIds } from "./recent-ids.ts";
import { takeClean } from "./take-clean.ts";
import {
  type EventResult,
  type MessageKey,
  measureLarge,
  type Taken,
  type TakeRules,
  takeEvents,
} from "./take-events.ts";

export interface EventsRequest extends TakeRules {
  workspaceId: string;
  projectId: string;
  /** In the pieces in which it arrived. Their memory may move to the thread, so the caller must not read them again. */
  body: readonly Buffer[];
  country: string | undefined;
  /** Makes generated message ids repeatable if the request is repeatable; see http/events/handler.ts. */
  idBase: string | undefined;
  /** Aborts when the client disconnects. */
  signal?: AbortSignal;
}

export interface EventsAccepted {
  success: true;
  accepted?: number;
  parked?: number;
  successful_rows?: number;
  quarantined_rows?: number;
  results?: EventResult[];
}

export interface AcceptDeps {
  log: Pick<Log, "append">;
  clock: Clock;
  recent: RecentIds;
  logger: WarnLog;
  /** Reads bodies that would block all other requests on this thread. */
  thread: Pick<BodyThread, "take" | "unpack">;
  count(outcome: "accepted" | "parked" | "refused", events: number): void;
}

/** Resolves once every accepted event is on disk. Otherwise throws the public error, and nothing was accepted. */
export async function acceptEvents(deps: AcceptDeps, request: EventsRequest): Promise<EventsAccepted> {
  const size = request.body.reduce((sum, piece) => sum + piece.length, 0);
  const here = takeHere(request, size);
  const { taken, logged: packed } = here ? { taken: here } : await takeThere(deps.thread, request, size);
  if (taken.kind === "refused") {
    await recordRefusal(deps, request, taken.why, taken.count);
    const { code, message, options } = taken.failure;
    throw new ApiError(code, message, options);
  }
  const { accepted, parked } = taken;
  // A later version may accept a parked event and then needs an id for it, too.
  const needsIds = taken.ids.length < accepted || parked > 0;
  const logged: LoggedRequest = {
    ...(packed?.bodyBytes === undefined ? {} : { bodyBytes: packed.bodyBytes }),
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
  try {
    await deps.log.append(encodeRequest(logged, packed?.bytes ?? request.body), request.workspaceId, logged.bodyBytes);
  } catch (cause) {
    throw toRefusal(cause);
  }
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
 * Larger bodies go to the thread. Nearly all bodies have 1 KB to some dozens of KB, and passing those to a thread would
 * take longer than reading them here.
 */
export const READ_HERE_BYTES = 256 * 1024;
/** This many values parse in some milliseconds. */
const READ_HERE_VALUES = 20_000;

/** Undefined for a body that the thread has to read. */
function takeHere(request: EventsRequest, size: number): Taken | undefined {
  if (size > READ_HERE_BYTES) return undefined;
  const body = joined(request.body, size);
  const clean = takeClean(body, request);
  if (clean !== undefined) return clean;
  const measure = measureLarge(body, request.lines);
  return measure !== undefined && measure.values > READ_HERE_VALUES ? undefined : takeEvents(body, measure, request);
}

async function takeThere(
  thread: AcceptDeps["thread"],
  { body: pieces, rules, lines, detail, signal }: EventsRequest,
  size: number,
): Promise<{ taken: Taken; logged?: LoggedBody | undefined }> {
  return thread.take(ownMemory(pieces, size), { rules, lines, detail }, signal);
}

const JOINED = Buffer.allocUnsafeSlow(READ_HERE_BYTES);

/** Joins the pieces in one buffer that every call reuses, so the result is valid until the next call. */
function joined(pieces: readonly Buffer[], size: number): Buffer {
  const [only] = pieces;
  if (pieces.length === 1 && only) return only;
  let at = 0;
  for (const piece of pieces) {
    JOINED.set(piece, at);
    at += piece.length;
  }
  return JOINED.subarray(0, size);
}

/** Joins the pieces in memory that nothing else uses. */
function ownMemory(pieces: readonly Buffer[], size: number): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only?.buffer.byteLength === size ? only : Buffer.concat(pieces, size);
}

function toRefusal(cause: unknown): unknown {
  if (!(cause instanceof LogUnavailable)) return cause;
  const retryAfter = String(Math.ceil(cause.retryAfterMs / 1000));
  return new ApiError("SERVICE_UNAVAILABLE", "Events cannot be stored now; none of this request was taken", {
    headers: { "Retry-After": retryAfter },
    cause,
  });
}

/**
 * Refused events count as received, so that the ledger adds up: each of them, or one for a body that cannot be read. If
 * that cannot be recorded, the refusal still stands.
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
  const noted = deps.log.append(note, workspaceId).catch((cause: unknown) => {
    // The log reports its own failures, once.
    if (!(cause instanceof LogUnavailable)) throw cause;
  });
  await tolerate(noted, deps.logger, "the client gets its 400; the ledger may miss the event");
}
