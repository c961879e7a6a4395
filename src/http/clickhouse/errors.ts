/** Failures as ClickHouse words them: clients look for the number and the name. */
import type { ApiError } from "../../contract/errors.ts";

/** Name -> ClickHouse's number and our HTTP status. */
export const CLICKHOUSE_CODES = {
  BAD_ARGUMENTS: { code: 36, status: 400 },
  UNKNOWN_FUNCTION: { code: 46, status: 404 },
  UNKNOWN_IDENTIFIER: { code: 47, status: 400 },
  NOT_IMPLEMENTED: { code: 48, status: 501 },
  UNKNOWN_TABLE: { code: 60, status: 404 },
  SYNTAX_ERROR: { code: 62, status: 400 },
  UNKNOWN_FORMAT: { code: 73, status: 400 },
  UNKNOWN_DATABASE: { code: 81, status: 404 },
  UNKNOWN_SETTING: { code: 115, status: 400 },
  TOO_MANY_ROWS_OR_BYTES: { code: 396, status: 400 },
  TIMEOUT_EXCEEDED: { code: 159, status: 408 },
  READONLY: { code: 164, status: 403 },
  REQUIRED_PASSWORD: { code: 194, status: 401 },
  TOO_MANY_SIMULTANEOUS_QUERIES: { code: 202, status: 429 },
  NETWORK_ERROR: { code: 210, status: 503 },
  MEMORY_LIMIT_EXCEEDED: { code: 241, status: 400 },
  UNKNOWN_QUERY_PARAMETER: { code: 456, status: 400 },
  BAD_QUERY_PARAMETER: { code: 457, status: 400 },
  AUTHENTICATION_FAILED: { code: 516, status: 403 },
  UNKNOWN_EXCEPTION: { code: 1002, status: 500 },
} as const;

export type ClickHouseCode = keyof typeof CLICKHOUSE_CODES;

/** A failure of the endpoint. The message is public. */
export class ClickHouseError extends Error {
  override readonly name = "ClickHouseError";
  readonly code: ClickHouseCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ClickHouseCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

/** The version that we report: the newest one whose answers ours are like. */
export const SERVER_VERSION = "25.3.1.1";

export function errorText({ code, message }: ClickHouseError): string {
  return `Code: ${CLICKHOUSE_CODES[code].code}. DB::Exception: ${message}. (${code}) (version ${SERVER_VERSION})\n`;
}

/** The check of statements has one kind of failure; clients of ClickHouse look for several. */
const REFUSALS: readonly (readonly [RegExp, ClickHouseCode])[] = [
  [/^There is no table|Tables have plain names/, "UNKNOWN_TABLE"],
  [/^There is no (?:window )?function/, "UNKNOWN_FUNCTION"],
  [/cannot be parsed|^Only a single SELECT|^Only one statement/, "SYNTAX_ERROR"],
  [/^There is no column|Referenced column/, "UNKNOWN_IDENTIFIER"],
  [/took longer than/, "TIMEOUT_EXCEEDED"],
  [/needs more memory/, "MEMORY_LIMIT_EXCEEDED"],
  [/^The answer has/, "TOO_MANY_ROWS_OR_BYTES"],
];

/** A failure of the parts that all routes share, in ClickHouse's words. */
export function fromApiError(failure: ApiError): ClickHouseError {
  const { message, headers, status } = failure;
  if (status === 404) return new ClickHouseError("UNKNOWN_DATABASE", "The project does not exist any more", headers);
  if (status === 429) return new ClickHouseError("TOO_MANY_SIMULTANEOUS_QUERIES", message, headers);
  if (status === 503) return new ClickHouseError("NETWORK_ERROR", message, headers);
  if (status >= 500) return new ClickHouseError("UNKNOWN_EXCEPTION", message, headers);
  const [, code = "BAD_ARGUMENTS"] = REFUSALS.find(([pattern]) => pattern.test(message)) ?? [];
  return new ClickHouseError(code, message, headers);
}
