/** The reason why an append was refused. A refused append is not stored; the client sends it again. */
export type LogRefusal = "full_queue" | "disk_full" | "io_error" | "log_full" | "share_full" | "closed";

/**
 * A queue drains within milliseconds, and a broken disk is probed at least every 2 s. A full log waits until the
 * warehouse has stored at least a segment, at tens of MB/s once the engine is available.
 */
const RETRY_AFTER_MS: Record<LogRefusal, number> = {
  full_queue: 1000,
  disk_full: 2000,
  io_error: 2000,
  log_full: 5000,
  share_full: 5000,
  closed: 2000,
};

export class LogUnavailable extends Error {
  readonly reason: LogRefusal;
  readonly retryAfterMs: number;

  constructor(reason: LogRefusal, cause?: unknown) {
    super(`the event log takes nothing now: ${reason}`, { cause });
    this.name = "LogUnavailable";
    this.reason = reason;
    this.retryAfterMs = RETRY_AFTER_MS[reason];
  }
}

/** Stored data is damaged or missing. The message is one line for the operator. */
export class LogCorrupt extends Error {
  readonly file: string;
  readonly offset: number;

  constructor(file: string, offset: number, what: string) {
    super(`the event log is damaged: ${file} at byte ${offset}: ${what}`);
    this.name = "LogCorrupt";
    this.file = file;
    this.offset = offset;
  }
}

/** EFBIG (a file size limit) and EDQUOT (a quota) count as a full disk: the operator has to make room. */
export function classifyFailure(cause: unknown): "disk_full" | "io_error" {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  return ["ENOSPC", "EDQUOT", "EFBIG"].includes(code) ? "disk_full" : "io_error";
}
