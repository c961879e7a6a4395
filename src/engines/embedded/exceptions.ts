/** An error as ClickHouse words it. `code` and `name` are ClickHouse's own, so a client sees what a server would say. */
export class EngineException extends Error {
  readonly code: number;

  constructor(code: number, type: string, message: string) {
    super(`Code: ${code}. DB::Exception: ${message} (${type})`);
    this.name = "EngineException";
    this.code = code;
  }
}

/** What the engine threw, with its own text kept; an error of ours without a code becomes 1002 UNKNOWN_EXCEPTION. */
export interface Failure {
  readonly code: number;
  readonly message: string;
}

export function describeFailure(cause: unknown): Failure {
  if (cause instanceof EngineException) return { code: cause.code, message: cause.message };
  const message = withoutOurs(cause instanceof Error ? cause.message : String(cause));
  const code = Number(/^Code: (\d+)\./.exec(message)?.[1] ?? 0);
  if (code > 0) return { code, message };
  return { code: 1002, message: `Code: 1002. DB::Exception: ${message} (UNKNOWN_EXCEPTION)` };
}

/** Files and clauses that are ours say nothing to the client; an exception that the engine wrapped is given once. */
function withoutOurs(message: string): string {
  return message
    .replace(/: \(in file\/uri [^)]*\)/g, "")
    .replace(/\nINTO OUTFILE 'out-\d+' APPEND FORMAT \w+/g, "")
    .replace(/\/\*s\d+\*\//g, "")
    .replace(/^(Code: \d+\. DB::Exception: )\1/, "$1")
    .replace(/ \(version [^)]*\)\. \([A-Z0-9_]+\)\s*$/, "");
}

const BY_STATUS: ReadonlyArray<readonly [status: number, codes: readonly number[]]> = [
  // REQUIRED_PASSWORD
  [401, [194]],
  // UNKNOWN_USER, WRONG_PASSWORD, AUTHENTICATION_FAILED, SET_NON_GRANTED_ROLE
  [403, [192, 193, 516, 512]],
  // BAD_ARGUMENTS, the CANNOT_PARSE_* family, AST limits, SYNTAX_ERROR, INCORRECT_DATA, TYPE_MISMATCH
  [400, [6, 10, 15, 25, 26, 27, 36, 38, 41, 44, 53, 62, 69, 72, 117, 155, 156, 167, 168, 223, 376, 427, 441, 675, 676]],
  // UNKNOWN_TABLE, FUNCTION, IDENTIFIER, TYPE, STORAGE, DATABASE, SETTING, FORMAT, AGGREGATE_FUNCTION, ROLE ...
  [404, [30, 46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 336, 511]],
  // TIMEOUT_EXCEEDED
  [408, [159]],
  // HTTP_LENGTH_REQUIRED
  [411, [381]],
  // QUERY_IS_TOO_LARGE
  [413, [307]],
  // NOT_IMPLEMENTED
  [501, [48]],
  // SOCKET_TIMEOUT, CANNOT_OPEN_FILE, CANNOT_SCHEDULE_TASK
  [503, [209, 76, 439]],
];

const STATUS = new Map(BY_STATUS.flatMap(([status, codes]) => codes.map((code) => [code, status] as const)));

/** ClickHouse's own table (exceptionCodeToHTTPStatus); everything it does not name is 500, READONLY and 202 included. */
export function httpStatus(code: number): number {
  return STATUS.get(code) ?? 500;
}
