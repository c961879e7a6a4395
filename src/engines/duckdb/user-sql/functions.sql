-- ClickHouse functions for statements of users. Each macro uses each of its parameters once: a nested call of one that
-- used a parameter twice would double the statement at each level. Times are UTC and have no time zone.
CREATE OR REPLACE MACRO user_same(x) AS x;
CREATE OR REPLACE MACRO user_sum_or_null(x) AS sum(x);
CREATE OR REPLACE MACRO user_avg_or_null(x) AS avg(x);
CREATE OR REPLACE MACRO user_is_null(x) AS x IS NULL;
CREATE OR REPLACE MACRO user_is_not_null(x) AS x IS NOT NULL;
CREATE OR REPLACE MACRO user_empty(x) AS length(x) = 0;
CREATE OR REPLACE MACRO user_not_empty(x) AS length(x) > 0;
CREATE OR REPLACE MACRO user_merge_arrays(x) AS coalesce(list_distinct(flatten(list(x)))[1:1000], []);
CREATE OR REPLACE MACRO user_position(x, y) AS instr(x, y);
CREATE OR REPLACE MACRO user_index_of(x, y) AS coalesce(list_position(x, y), 0);
CREATE OR REPLACE MACRO user_domain(x) AS regexp_extract(x, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/?#@]*@)?([^/?#:]*)', 1);
CREATE OR REPLACE MACRO user_domain_bare(x) AS regexp_extract(x, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/?#@]*@)?(?:www\.)?([^/?#:]*)', 1);
CREATE OR REPLACE MACRO user_path(x) AS regexp_extract(x, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/?#]*(/[^?#]*)', 1);
CREATE OR REPLACE MACRO user_url_parameter(x, n) AS split_part(split_part(split_part(concat('&', regexp_extract(x, '\?([^#]*)', 1)), concat('&', n, '='), 2), '&', 1), '#', 1);
CREATE OR REPLACE MACRO user_to_date(x) AS CAST(x AS DATE);
CREATE OR REPLACE MACRO user_to_date_or_null(x) AS TRY_CAST(x AS DATE);
CREATE OR REPLACE MACRO user_to_time(x) AS CAST(x AS TIMESTAMP), (x, ignored) AS CAST(x AS TIMESTAMP);
CREATE OR REPLACE MACRO user_to_time_or_null(x) AS TRY_CAST(x AS TIMESTAMP);
CREATE OR REPLACE MACRO user_to_second(x) AS date_trunc('second', CAST(x AS TIMESTAMP));
CREATE OR REPLACE MACRO user_now() AS date_trunc('second', make_timestamp(epoch_us(now()))), (ignored) AS date_trunc('second', make_timestamp(epoch_us(now())));
CREATE OR REPLACE MACRO user_now64() AS make_timestamp(epoch_us(now())), (ignored) AS make_timestamp(epoch_us(now()));
CREATE OR REPLACE MACRO user_today() AS CAST(make_timestamp(epoch_us(now())) AS DATE);
CREATE OR REPLACE MACRO user_yesterday() AS CAST(make_timestamp(epoch_us(now())) AS DATE) - 1;
CREATE OR REPLACE MACRO user_year_month(x) AS CAST(strftime(CAST(x AS TIMESTAMP), '%Y%m') AS INTEGER);
CREATE OR REPLACE MACRO user_year_month_day(x) AS CAST(strftime(CAST(x AS TIMESTAMP), '%Y%m%d') AS INTEGER);
CREATE OR REPLACE MACRO user_unix(x) AS CAST(floor(epoch(CAST(x AS TIMESTAMP))) AS BIGINT);
CREATE OR REPLACE MACRO user_from_unix(x) AS make_timestamp(CAST(x AS BIGINT) * 1000000);
CREATE OR REPLACE MACRO user_from_unix_fraction(x) AS make_timestamp(CAST(round(x * 1000) AS BIGINT) * 1000);
CREATE OR REPLACE MACRO user_from_unix_milli(x) AS make_timestamp(CAST(x AS BIGINT) * 1000);
CREATE OR REPLACE MACRO user_unix_milli(x) AS epoch_ms(CAST(x AS TIMESTAMP));
CREATE OR REPLACE MACRO user_position_any_case(x, y) AS instr(lower(x), lower(y));
CREATE OR REPLACE MACRO user_start_minute(x) AS date_trunc('minute', CAST(x AS TIMESTAMP));
CREATE OR REPLACE MACRO user_start_five_minutes(x) AS time_bucket(INTERVAL 5 MINUTE, CAST(x AS TIMESTAMP), TIMESTAMP '1970-01-01');
CREATE OR REPLACE MACRO user_start_ten_minutes(x) AS time_bucket(INTERVAL 10 MINUTE, CAST(x AS TIMESTAMP), TIMESTAMP '1970-01-01');
CREATE OR REPLACE MACRO user_start_fifteen_minutes(x) AS time_bucket(INTERVAL 15 MINUTE, CAST(x AS TIMESTAMP), TIMESTAMP '1970-01-01');
CREATE OR REPLACE MACRO user_start_hour(x) AS date_trunc('hour', CAST(x AS TIMESTAMP));
CREATE OR REPLACE MACRO user_start_day(x) AS date_trunc('day', CAST(x AS TIMESTAMP));
CREATE OR REPLACE MACRO user_monday(x) AS CAST(date_trunc('week', CAST(x AS TIMESTAMP)) AS DATE);
CREATE OR REPLACE MACRO user_start_week(x) AS CAST(time_bucket(INTERVAL 7 DAY, CAST(x AS TIMESTAMP), TIMESTAMP '1970-01-04') AS DATE),
    (x, mode) AS CAST(time_bucket(INTERVAL 7 DAY, CAST(x AS TIMESTAMP), TIMESTAMP '1970-01-04' + INTERVAL 1 DAY * (mode % 2)) AS DATE);
CREATE OR REPLACE MACRO user_start_month(x) AS CAST(date_trunc('month', CAST(x AS TIMESTAMP)) AS DATE);
CREATE OR REPLACE MACRO user_start_quarter(x) AS CAST(date_trunc('quarter', CAST(x AS TIMESTAMP)) AS DATE);
CREATE OR REPLACE MACRO user_start_year(x) AS CAST(date_trunc('year', CAST(x AS TIMESTAMP)) AS DATE);
CREATE OR REPLACE MACRO user_start_interval(x, i) AS time_bucket(i, CAST(x AS TIMESTAMP), TIMESTAMP '1970-01-01');
CREATE OR REPLACE MACRO user_add_seconds(x, n) AS x + to_seconds(n);
CREATE OR REPLACE MACRO user_add_minutes(x, n) AS x + to_minutes(n);
CREATE OR REPLACE MACRO user_add_hours(x, n) AS x + to_hours(n);
CREATE OR REPLACE MACRO user_add_days(x, n) AS x + to_days(CAST(n AS INTEGER));
CREATE OR REPLACE MACRO user_add_weeks(x, n) AS x + to_weeks(CAST(n AS INTEGER));
CREATE OR REPLACE MACRO user_add_months(x, n) AS x + to_months(CAST(n AS INTEGER));
CREATE OR REPLACE MACRO user_add_years(x, n) AS x + to_years(CAST(n AS INTEGER));
CREATE OR REPLACE MACRO user_subtract_hours(x, n) AS x - to_hours(n);
CREATE OR REPLACE MACRO user_subtract_days(x, n) AS x - to_days(CAST(n AS INTEGER));
CREATE OR REPLACE MACRO user_subtract_weeks(x, n) AS x - to_weeks(CAST(n AS INTEGER));
CREATE OR REPLACE MACRO user_subtract_months(x, n) AS x - to_months(CAST(n AS INTEGER));
CREATE OR REPLACE MACRO user_subtract_years(x, n) AS x - to_years(CAST(n AS INTEGER));
CREATE OR REPLACE MACRO user_to_int(x) AS CAST(trunc(CAST(x AS DOUBLE)) AS BIGINT);
-- ClickHouse keeps the low bits of a number that does not fit.
CREATE OR REPLACE MACRO user_to_int8(x) AS ((user_to_int(x) + 128) & 255) - 128;
CREATE OR REPLACE MACRO user_to_int16(x) AS ((user_to_int(x) + 32768) & 65535) - 32768;
CREATE OR REPLACE MACRO user_to_int32(x) AS ((user_to_int(x) + 2147483648) & 4294967295) - 2147483648;
CREATE OR REPLACE MACRO user_to_uint8(x) AS user_to_int(x) & 255;
CREATE OR REPLACE MACRO user_to_uint16(x) AS user_to_int(x) & 65535;
CREATE OR REPLACE MACRO user_to_uint32(x) AS user_to_int(x) & 4294967295;
-- Digits that are too many are cut off; a text that is no such number becomes empty, which no number is made of.
CREATE OR REPLACE MACRO user_decimal_text(x, n) AS regexp_extract(CAST(x AS VARCHAR), concat('^([+-]?[0-9]+(?:[.][0-9]{0,', n, '})?)[0-9]*$'), 1);
CREATE OR REPLACE MACRO user_search_any(x, parts) AS coalesce(list_bool_or(list_transform(parts, lambda part: contains(x, part))), false);
CREATE OR REPLACE MACRO user_type_name(x) AS CASE typeof(x)
    WHEN 'BOOLEAN' THEN 'Bool' WHEN 'TINYINT' THEN 'Int8' WHEN 'SMALLINT' THEN 'Int16' WHEN 'INTEGER' THEN 'Int32'
    WHEN 'BIGINT' THEN 'Int64' WHEN 'HUGEINT' THEN 'Int64' WHEN 'UBIGINT' THEN 'UInt64' WHEN 'UINTEGER' THEN 'UInt32'
    WHEN 'UTINYINT' THEN 'UInt8' WHEN 'USMALLINT' THEN 'UInt16' WHEN 'FLOAT' THEN 'Float32' WHEN 'DOUBLE' THEN 'Float64'
    WHEN 'DATE' THEN 'Date' WHEN 'TIMESTAMP' THEN 'DateTime64(3, ''UTC'')' WHEN 'UUID' THEN 'UUID'
    WHEN 'VARCHAR[]' THEN 'Array(String)' WHEN 'DOUBLE[]' THEN 'Array(Float64)' WHEN 'VARCHAR' THEN 'String'
    ELSE 'Float64' END;
CREATE OR REPLACE MACRO user_to_uint(x) AS CAST(x AS UBIGINT);
-- DuckDB's own cast takes -3.5 for -4, 1e3 for 1000 and 0x1F for 31.
CREATE OR REPLACE MACRO user_to_int_or_null(x) AS TRY_CAST(regexp_extract(CAST(x AS VARCHAR), '^[+-]?[0-9]+$') AS BIGINT);
CREATE OR REPLACE MACRO user_to_int_or_zero(x) AS coalesce(user_to_int_or_null(x), 0);
CREATE OR REPLACE MACRO user_to_float(x) AS CAST(x AS DOUBLE);
CREATE OR REPLACE MACRO user_to_float_or_zero(x) AS coalesce(TRY_CAST(x AS DOUBLE), 0);
CREATE OR REPLACE MACRO user_to_float_or_null(x) AS TRY_CAST(x AS DOUBLE);
-- A name as a step of a JSON pointer. TRY: JSON of clients may have half of a surrogate pair, which DuckDB refuses.
CREATE OR REPLACE MACRO user_step(n) AS concat('/', replace(replace(n, '~', '~0'), '/', '~1'));
CREATE OR REPLACE MACRO user_json(j, n) AS TRY(json_extract_string(j, user_step(n))),
    (j, n, m) AS TRY(json_extract_string(j, concat(user_step(n), user_step(m)))),
    (j, n, m, o) AS TRY(json_extract_string(j, concat(user_step(n), user_step(m), user_step(o))));
CREATE OR REPLACE MACRO user_json_string(j, n) AS coalesce(user_json(j, n), ''),
    (j, n, m) AS coalesce(user_json(j, n, m), ''), (j, n, m, o) AS coalesce(user_json(j, n, m, o), '');
CREATE OR REPLACE MACRO user_json_raw(j, n) AS coalesce(TRY(CAST(json_extract(j, user_step(n)) AS VARCHAR)), '');
-- Without the fraction, which DuckDB's cast would round.
CREATE OR REPLACE MACRO user_whole(x) AS coalesce(TRY_CAST(regexp_extract(x, '^([+-]?[0-9]+)(?:[.][0-9]*)?$', 1) AS BIGINT), 0);
CREATE OR REPLACE MACRO user_json_int(j, n) AS user_whole(user_json(j, n)), (j, n, m) AS user_whole(user_json(j, n, m));
CREATE OR REPLACE MACRO user_json_float(j, n) AS coalesce(TRY_CAST(user_json(j, n) AS DOUBLE), 0),
    (j, n, m) AS coalesce(TRY_CAST(user_json(j, n, m) AS DOUBLE), 0);
CREATE OR REPLACE MACRO user_json_bool(j, n) AS coalesce(user_json(j, n) = 'true', false);
CREATE OR REPLACE MACRO user_json_has(j, n) AS coalesce(TRY(json_exists(j, user_step(n))), false);
-- A time with three digits of a second, or none. DuckDB's own text has no zeros at its end. As of the next one, its
-- parameter is always a plain column.
CREATE OR REPLACE MACRO answer_time(x) AS
    CASE WHEN epoch_us(x) % 1000000 = 0 THEN strftime(x, '%Y-%m-%d %H:%M:%S') ELSE strftime(x, '%Y-%m-%d %H:%M:%S.%g') END;
-- A field of a CSV line. Its parameter is always a plain column, so it may be used more than once.
CREATE OR REPLACE MACRO answer_csv(x) AS CASE
    WHEN x IS NULL THEN ''
    WHEN regexp_matches(x, '[",\r\n]') THEN concat('"', replace(x, '"', '""'), '"')
    ELSE x END;
