/** Parameters of the URL, and the SETTINGS of a statement. */
import { ClickHouseError } from "./errors.ts";

/** Of the transport, not of the query. */
const TRANSPORT = new Set([
  "query",
  "database",
  "default_format",
  "query_id",
  "session_id",
  "session_timeout",
  "session_check",
  "close_session",
  "quota_key",
  "role",
  "compress",
  "enable_http_compression",
  "wait_end_of_query",
  "buffer_size",
  "client_protocol_version",
  "stacktrace",
]);

/**
 * Settings about speed, limits, logs and input, which cannot change an answer. They are ignored: the limits of this
 * server hold for everybody.
 */
const HARMLESS =
  /^(?:max_|min_|allow_|http_|input_format_|output_format_|network_|distributed_|optimize_|log_|parallel_|async_|select_sequential_|send_|receive_|connect_|cancel_|timeout_|date_time_input_format$|readonly$|priority$|workload$|load_balancing$|use_uncompressed_cache$|cast_string_to_dynamic)/;

const UTC = new Set(["", "UTC", "Etc/UTC", "GMT", "Etc/GMT"]);

export interface QuerySettings {
  /** An answer ends after this many rows. */
  readonly mostRows: number | undefined;
  readonly quoteInt64: boolean;
}

/** Throws for a setting that would change the answer. Settings of the statement follow those of the URL. */
export function readSettings(settings: Iterable<readonly [string, string]>): QuerySettings {
  let quoteInt64 = true;
  let [maxRows, limit] = [0, 0];
  let cutsRows = false;
  for (const [name, value] of settings) {
    if (name === "session_timezone") requireUtc(value);
    else if (name === "output_format_json_quote_64bit_integers") quoteInt64 = !/^(?:0|false)$/.test(value);
    else if (name === "limit") limit = Number(value);
    else if (name === "max_result_rows") maxRows = Number(value);
    else if (name === "result_overflow_mode") cutsRows = value === "break";
    else if (!HARMLESS.test(name))
      throw new ClickHouseError("UNKNOWN_SETTING", `Setting ${name.slice(0, 80)} is not supported here`);
  }
  // Without "break" ClickHouse fails beyond max_result_rows; here the server's own limit does.
  const limits = [limit, cutsRows ? maxRows : 0].filter((number) => number > 0);
  return { quoteInt64, mostRows: limits.length === 0 ? undefined : Math.min(...limits) };
}

function requireUtc(zone: string): void {
  if (!UTC.has(zone))
    throw new ClickHouseError("BAD_ARGUMENTS", `Times are in UTC here: session_timezone ${zone} is not supported`);
}

/** The parameters of the URL that are settings. */
export function settingsOf(query: URLSearchParams): [string, string][] {
  return [...query].filter(([name]) => !TRANSPORT.has(name) && !name.startsWith("param_"));
}
