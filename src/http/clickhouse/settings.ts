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
  "decompress",
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
  /^(?:max_|min_|allow_|http_|input_format_|network_|distributed_|optimize_|log_|parallel_|async_|select_sequential_|send_|receive_|connect_|cancel_|timeout_|date_time_input_format$|readonly$|priority$|workload$|load_balancing$|use_uncompressed_cache$|cast_string_to_dynamic|add_http_cors_header$|enable_http_compression$|enable_analyzer$|use_query_cache$|prefer_localhost_replica$|insert_|output_format_(?:parquet|arrow|orc|avro|protobuf|pretty|native|binary|msgpack|sql_insert|write_statistics|parallel_formatting|schema|bson|image|markdown|values|xml))/;

/** Settings at the value that answers here have anyway; another one would change them. */
const UNCHANGED: Readonly<Record<string, RegExp>> = {
  // A column without a match is NULL on every engine.
  join_use_nulls: /^(?:1|true)$/,
  date_time_output_format: /^simple$/,
  extremes: /^(?:0|false)$/,
  totals_mode: /^after_having_exclusive$/,
  group_by_use_nulls: /^(?:1|true)$/,
  cast_keep_nullable: /^(?:1|true)$/,
  join_default_strictness: /^ALL$/i,
  any_join_distinct_right_table_keys: /^(?:0|false)$/,
  union_default_mode: /^$/,
  decimal_check_overflow: /^(?:1|true)$/,
  transform_null_in: /^(?:0|false)$/,
  aggregate_functions_null_for_empty: /^(?:1|true)$/,
  prefer_column_name_to_alias: /^(?:1|true)$/,
  final: /^(?:0|false)$/,
  format_csv_delimiter: /^,$/,
  output_format_json_named_tuples_as_objects: /^(?:1|true)$/,
  output_format_json_array_of_rows: /^(?:0|false)$/,
  output_format_json_quote_decimals: /^(?:0|false)$/,
  output_format_json_quote_denormals: /^(?:0|false)$/,
  output_format_json_quote_64bit_floats: /^(?:0|false)$/,
  output_format_json_escape_forward_slashes: /^(?:0|1|true|false)$/,
  output_format_json_skip_null_value_in_named_tuples: /^(?:0|false)$/,
  output_format_csv_crlf_end_of_line: /^(?:0|false)$/,
  output_format_tsv_crlf_end_of_line: /^(?:0|false)$/,
  output_format_decimal_trailing_zeros: /^(?:0|false)$/,
  output_format_enable_streaming: /^(?:0|1|true|false)$/,
};

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
    else if (name === "additional_table_filters")
      throw new ClickHouseError(
        "UNKNOWN_SETTING",
        "Ad hoc filters (additional_table_filters) are not supported here: write the condition into WHERE",
      );
    else if (!HARMLESS.test(name)) requireUnchanged(name, value);
  }
  // Without "break" ClickHouse fails beyond max_result_rows; here the server's own limit does.
  const limits = [limit, cutsRows ? maxRows : 0].filter((number) => number > 0);
  return { quoteInt64, mostRows: limits.length === 0 ? undefined : Math.min(...limits) };
}

function requireUnchanged(name: string, value: string): void {
  const accepted = Object.hasOwn(UNCHANGED, name) ? UNCHANGED[name] : undefined;
  if (accepted === undefined)
    throw new ClickHouseError("UNKNOWN_SETTING", `Setting ${name.slice(0, 80)} is not supported here`);
  if (!accepted.test(value))
    throw new ClickHouseError(
      "UNKNOWN_SETTING",
      `Setting ${name} = ${value.slice(0, 40)} is not supported here: it would change the answer`,
    );
}

function requireUtc(zone: string): void {
  if (!UTC.has(zone))
    throw new ClickHouseError("BAD_ARGUMENTS", `Times are in UTC here: session_timezone ${zone} is not supported`);
}

/** The parameters of the URL that are settings. */
export function settingsOf(query: URLSearchParams): [string, string][] {
  return [...query].filter(([name]) => !TRANSPORT.has(name) && !name.startsWith("param_"));
}
