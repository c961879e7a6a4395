/** The settings of a user's statement. */
import { SQL_LIMITS } from "../../../contract/query.ts";

export const USER_SETTINGS = {
  // A condition of the user is evaluated after the project has been compared: a failure on another project's rows would
  // tell about them.
  enable_optimize_predicate_expression: 0,
  query_plan_filter_push_down: 0,
  query_plan_merge_filters: 0,
  optimize_move_to_prewhere: 0,
  optimize_move_to_prewhere_if_final: 0,
  // As on DuckDB: a column without a match is NULL, and a cast keeps it.
  join_use_nulls: 1,
  // `sum(revenue) AS revenue` sums the column, not itself.
  prefer_column_name_to_alias: 1,
  cast_keep_nullable: 1,
  // A row as a value has the names of its columns.
  enable_named_columns_in_function_tuple: 1,
  // The answer is complete before its first byte, so that a failure is an error.
  wait_end_of_query: 1,
  max_result_bytes: SQL_LIMITS.answerBytes,
  result_overflow_mode: "throw",
  // Statements leave threads to reports.
  max_threads: 2,
  output_format_json_quote_denormals: 0,
  output_format_json_escape_forward_slashes: 0,
  output_format_csv_crlf_end_of_line: 1,
  format_csv_null_representation: "",
  date_time_output_format: "simple",
  // As on DuckDB: three digits of a second, or none.
  date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands: 1,
} as const;
