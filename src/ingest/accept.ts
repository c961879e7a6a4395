import { ApiError } from "../contract/errors.ts";
import type { RefusedReason } from "../contract/event-reasons.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import type { BodyThread } from "./body-thread.ts";
import type { Log } from "./log.ts";
import { LogUnavailable } from "./log-errors.ts";
import { encodeRequest, type LoggedRequest } from "./logged-request.ts";
import { KEY_NUMBERS, type KeySeed } from "./message-key.ts";
import type { RecentIds } from "./recent-ids.ts";
import { takeClean } from "./take-clean.ts";
import { type EventResult, measureLarge, type Taken, type TakeRules, takeEvents } from "./take-events.ts";

export interface EventsRequest extends Omit<TakeRules, "seed"> {
  workspaceId: string;
  projectId: string;
  /** In the pieces in which it arrived. The caller may use their memory again as soon as the call returns. */
  body: readonly Buffer[];
  /** The caller does not: a body of one piece may move to the thread. */
  givesBody?: true;
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
  log: Pick<Log, "write">;
  clock: Clock;
  recent: RecentIds;
  logger: WarnLog;
  /** Reads bodies that would block all other requests on this thread. */
  thread: Pick<BodyThread, "take" | "unpack">;
  count(outcome: "accepted" | "parked" | "refused", events: number): void;
}

/** Called once. Without an answer nothing was accepted, and the cause is the public error. */
export type Answer = (cause: unknown, accepted?: EventsAccepted) => void;

/** Resolves once every accepted event is on disk. Otherwise throws the public error, and nothing was accepted. */
export function acceptEvents(deps: AcceptDeps, request: EventsRequest): Promise<EventsAccepted> {
  return new Promise((resolve, reject) =>
    acceptNow(deps, request, (cause, accepted) => (accepted ? resolve(accepted) : reject(cause))),
  );
}

/** The same without promises: five of them for each single event took a tenth of the thread. */
export function acceptNow(deps: AcceptDeps, request: EventsRequest, answer: Answer): void {
  let taken: Taken | undefined;
  let size = 0;
  for (const piece of request.body) size += piece.length;
  const seed = deps.recent.seedOf(request.projectId);
  try {
    taken = takeHere(request, size, seed);
  } catch (cause) {
    answer(cause);
    return;
  }
  if (taken !== undefined) {
    logTaken(deps, request, request.body, taken, answer);
    return;
  }
  const { body, givesBody, rules, lines, detail, signal, ...rest } = request;
  const [only] = body;
  const moved = givesBody && body.length === 1 && only?.buffer.byteLength === size ? only : copyOf(body, size);
  deps.thread.take(moved, { rules, lines, detail, seed }, signal).then(
    ({ taken: there, logged }) => {
      const { bytes = NO_BYTES, bodyBytes } = logged ?? {};
      logTaken(deps, { rules, lines, ...rest }, [bytes], there, answer, bodyBytes);
    },
    (cause: unknown) => answer(cause),
  );
}

const NO_BYTES = new Uint8Array();

/** Writes the body to the log, and answers when the disk has it. `bodyBytes`: as in LoggedRequest. */
function logTaken(
  deps: AcceptDeps,
  request: Pick<EventsRequest, "workspaceId" | "projectId" | "rules" | "lines" | "country" | "idBase">,
  body: readonly Uint8Array[],
  taken: Taken,
  answer: Answer,
  bodyBytes?: number,
): void {
  if (taken.kind === "refused") {
    const { code, message, options } = taken.failure;
    const refused = recordRefusal(deps, request, taken.why, taken.count);
    refused.then(() => answer(new ApiError(code, message, options)), answer);
    return;
  }
  const { accepted, parked, keys } = taken;
  // A later version may accept a parked event and then needs an id for it, too.
  const needsIds = keys.length < accepted * KEY_NUMBERS || parked > 0;
  const logged: LoggedRequest = {
    ...(bodyBytes === undefined ? {} : { bodyBytes }),
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
  deps.log.write(encodeRequest(logged, body), whenLogged(deps, taken, answer), request.workspaceId, bodyBytes);
}

/** Keeps neither the request nor its body: what waits for the disk is moved by every garbage collection. */
function whenLogged(deps: AcceptDeps, taken: Taken & { kind: "events" }, answer: Answer) {
  return (cause: Error | undefined): void => {
    if (cause !== undefined) {
      answer(toRefusal(cause));
      return;
    }
    const { accepted, parked, keys } = taken;
    deps.count("accepted", accepted);
    if (parked > 0) deps.count("parked", parked);
    const isKnown = (at: number) => deps.recent.seen(keys[at] as number, keys[at + 1] as number);
    const results = taken.results?.map(({ key, ...result }) =>
      key !== undefined && isKnown(key) ? { ...result, status: "duplicate" as const } : result,
    );
    if (results === undefined) for (let at = 0; at < keys.length; at += KEY_NUMBERS) isKnown(at);
    answer(undefined, taken.batch ? ofBatch(accepted, parked, results) : ONE_ACCEPTED);
  };
}

/** The answer to a single event. */
export const ONE_ACCEPTED: EventsAccepted = { success: true };

function ofBatch(accepted: number, parked: number, results: EventResult[] | undefined): EventsAccepted {
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
function takeHere(
  { body: pieces, rules, lines, detail }: EventsRequest,
  size: number,
  seed: KeySeed,
): Taken | undefined {
  if (size > READ_HERE_BYTES) return undefined;
  const body = joined(pieces, size);
  const how = { rules, lines, detail, seed };
  const clean = takeClean(body, how);
  if (clean !== undefined) return clean;
  const measure = measureLarge(body, lines);
  return measure !== undefined && measure.values > READ_HERE_VALUES ? undefined : takeEvents(body, measure, how);
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

/** In memory that nothing else uses. */
function copyOf(pieces: readonly Buffer[], size: number): Buffer {
  const own = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const piece of pieces) at += piece.copy(own, at);
  return own;
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
  const noted = new Promise<void>((resolve, reject) => {
    // The log reports its own failures, once.
    const settle = (cause?: Error) => (cause && !(cause instanceof LogUnavailable) ? reject(cause) : resolve());
    deps.log.write(note, settle, workspaceId);
  });
  await tolerate(noted, deps.logger, "the client gets its 400; the ledger may miss the event");
}
