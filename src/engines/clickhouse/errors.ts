/** Translates errors of ClickHouse and of the connection into the failures of the port. */
import { EngineBusy, EngineDown, type EngineFailure, EngineRefused, isFailure } from "../failures.ts";

/**
 * NETWORK_ERROR, ALL_CONNECTION_TRIES_FAILED, TABLE_IS_READ_ONLY (no Keeper), KEEPER_EXCEPTION, SERVER_OVERLOADED ...
 */
const DOWN = new Set([210, 225, 242, 279, 999, 745]);

/**
 * TIMEOUT_EXCEEDED, CANNOT_ALLOCATE_MEMORY, TOO_MANY_SIMULTANEOUS_QUERIES, SOCKET_TIMEOUT, MEMORY_LIMIT_EXCEEDED,
 * NOT_ENOUGH_SPACE, TOO_MANY_PARTS, QUERY_WAS_CANCELLED, CANNOT_SCHEDULE_TASK, TOO_SLOW.
 */
const BUSY = new Set([159, 173, 202, 209, 241, 243, 252, 394, 439, 160]);

/**
 * Codes for invalid data: parse errors, unknown fields, values out of range, wrong types, constraints. Any other
 * refusal (a missing table, a read-only replica) is not caused by the rows.
 */
const DATA = new Set([6, 26, 27, 38, 41, 43, 53, 69, 70, 72, 117, 130, 131, 349, 407, 441, 467, 469]);

const DISCONNECTS = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);
const TIMEOUTS = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** Reads "Code: 395. DB::Exception: ...". A proxy may answer instead, with an HTML page. */
export function failureFromText(text: string): EngineFailure {
  const message = (text.split("\n")[0] ?? "").slice(0, 4_096);
  const code = Number(/\bCode: (\d+)\./.exec(message)?.[1] ?? Number.NaN);
  if (Number.isNaN(code)) return new EngineDown(`the answer is not from ClickHouse: ${message.slice(0, 200)}`);
  if (DOWN.has(code)) return new EngineDown(message);
  return BUSY.has(code) ? new EngineBusy(message) : new EngineRefused(message, { code });
}

/** Translates an error of undici. */
export function toFailure(cause: unknown): EngineFailure {
  if (isFailure(cause)) return cause;
  if (TIMEOUTS.has(codeOf(cause))) return new EngineBusy("no answer within the request timeout", { cause });
  return new EngineDown(cause instanceof Error ? cause.message : String(cause), { cause });
}

/**
 * A refusal of the rows themselves is a result; any other failure is thrown. Without a code: our own encoder refused a
 * row of a wrong type.
 */
export function refusalOf(cause: unknown): EngineRefused {
  if (cause instanceof EngineRefused && (cause.code === undefined || DATA.has(cause.code))) return cause;
  throw cause;
}

/** The connection was refused or closed: a read may be sent again. */
export function isDisconnect(cause: unknown): boolean {
  return DISCONNECTS.has(codeOf(cause));
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
}
