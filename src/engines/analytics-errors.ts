import { ClickHouseError } from "@clickhouse/client";

/** Why the analytics engine gave no answer: a closed list, so that a caller can decide what to tell its own caller. */
export type EngineFailure = EngineDown | EngineBusy | EngineRefused;

/** Nobody there: not reachable, cut off in the middle, or without its Keeper. Try again later; nothing is wrong with you. */
export class EngineDown extends Error {
  override readonly name = "EngineDown";
  readonly kind = "down";
}

/** There, but a limit was reached: time, memory, queries at once, disk. The same call may work later or smaller. */
export class EngineBusy extends Error {
  override readonly name = "EngineBusy";
  readonly kind = "busy";
  /** ClickHouse's code; undefined when our own request timeout ended the call. */
  readonly code: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly code: number | undefined }) {
    super(message, options);
    this.code = options.code;
  }
}

/** The query or the data is wrong; repeating it cannot help. */
export class EngineRefused extends Error {
  override readonly name = "EngineRefused";
  readonly kind = "refused";
  readonly code: number;

  constructor(message: string, options: ErrorOptions & { readonly code: number }) {
    super(message, options);
    this.code = options.code;
  }
}

/** NETWORK_ERROR, ALL_CONNECTION_TRIES_FAILED, TABLE_IS_READ_ONLY (no Keeper), KEEPER_EXCEPTION, SERVER_OVERLOADED ... */
const DOWN = new Set([210, 225, 242, 279, 999, 745]);

/**
 * TIMEOUT_EXCEEDED, CANNOT_ALLOCATE_MEMORY, TOO_MANY_SIMULTANEOUS_QUERIES, SOCKET_TIMEOUT, MEMORY_LIMIT_EXCEEDED,
 * NOT_ENOUGH_SPACE, TOO_MANY_PARTS, QUERY_WAS_CANCELLED, CANNOT_SCHEDULE_TASK, TOO_SLOW.
 */
const BUSY = new Set([159, 173, 202, 209, 241, 243, 252, 394, 439, 160]);

const NETWORK = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ECONNABORTED",
  "ERR_STREAM_PREMATURE_CLOSE",
  "UND_ERR_SOCKET",
]);

export function toFailure(cause: unknown): EngineFailure {
  if (isFailure(cause)) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof ClickHouseError) return fromCode(Number(cause.code), message, cause);
  if (isTimeout(cause, message)) {
    return new EngineBusy("no answer within the request timeout", { cause, code: undefined });
  }
  return new EngineDown(message, { cause });
}

const TIMEOUTS = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** undici has codes for that; the client library has only words when request_timeout passes. */
function isTimeout(cause: unknown, message: string): boolean {
  return TIMEOUTS.has(codeOf(cause)) || message === "Timeout error.";
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
}

/** From "Code: 395. DB::Exception: ...", as it stands inside a stream that failed after its first bytes. */
export function failureFromText(text: string): EngineFailure {
  const [message = text] = text.split("\n");
  return fromCode(Number(/^Code: (\d+)\./.exec(message)?.[1] ?? 0), message, undefined);
}

function fromCode(code: number, message: string, cause: unknown): EngineFailure {
  if (DOWN.has(code)) return new EngineDown(message, { cause });
  if (BUSY.has(code)) return new EngineBusy(message, { cause, code });
  return new EngineRefused(message, { cause, code });
}

export function isFailure(cause: unknown): cause is EngineFailure {
  return cause instanceof EngineDown || cause instanceof EngineBusy || cause instanceof EngineRefused;
}

/** The connection was refused or cut: a read may be sent again. */
export function isDisconnect(cause: unknown): boolean {
  return NETWORK.has(codeOf(cause));
}
