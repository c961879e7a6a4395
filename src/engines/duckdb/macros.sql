-- ClickHouse functions that the common SQL uses, under the same names. Names with different meanings in the two engines
-- are not used (docs/decisions). Each macro has a case in test/engines/dialect.test.ts.
CREATE OR REPLACE MACRO uniqExact(x) AS count(DISTINCT x);
CREATE OR REPLACE MACRO sumIf(x, c) AS coalesce(sum(x) FILTER (WHERE c), 0);
CREATE OR REPLACE MACRO maxIf(x, c) AS max(x) FILTER (WHERE c);
CREATE OR REPLACE MACRO argMinIf(x, r, c) AS arg_min(x, r) FILTER (WHERE c);
CREATE OR REPLACE MACRO argMaxIf(x, r, c) AS arg_max(x, r) FILTER (WHERE c);
CREATE OR REPLACE MACRO groupUniqArrayIf(x, c) AS coalesce(list(DISTINCT x) FILTER (WHERE c), []);
CREATE OR REPLACE MACRO groupUniqArrayArray(x) AS list_distinct(flatten(list(x)));
CREATE OR REPLACE MACRO multiIf(c1, a, z) AS CASE WHEN c1 THEN a ELSE z END,
    (c1, a, c2, b, z) AS CASE WHEN c1 THEN a WHEN c2 THEN b ELSE z END;
CREATE OR REPLACE MACRO toDate(x) AS CAST(x AS DATE);
CREATE OR REPLACE MACRO toString(x) AS CAST(x AS VARCHAR);
CREATE OR REPLACE MACRO toInt64(x) AS CAST(x AS BIGINT);
CREATE OR REPLACE MACRO toUInt64(x) AS CAST(x AS UBIGINT);
CREATE OR REPLACE MACRO toFloat64(x) AS CAST(x AS DOUBLE);
CREATE OR REPLACE MACRO toInt128(x) AS CAST(x AS HUGEINT);
CREATE OR REPLACE MACRO toUnixTimestamp64Milli(x) AS epoch_ms(x);
-- With the columns' own type: a comparison that casts the column reads every row instead of some row groups (60 instead
-- of 5 ms for an hour of a day of 1.5 million events).
CREATE OR REPLACE MACRO fromUnixTimestamp64Milli(x) AS CAST(make_timestamp_ms(x) AS TIMESTAMP_MS);
CREATE OR REPLACE MACRO lowerUTF8(x) AS lower(x);
CREATE OR REPLACE MACRO startsWith(x, y) AS starts_with(x, y);
CREATE OR REPLACE MACRO endsWith(x, y) AS suffix(x, y);
CREATE OR REPLACE MACRO has(l, x) AS list_contains(l, x);
CREATE OR REPLACE MACRO hasAny(l, m) AS list_has_any(l, m);
CREATE OR REPLACE MACRO splitByChar(c, x) AS string_split(x, c);
CREATE OR REPLACE MACRO arrayDistinct(l) AS list_distinct(l);
CREATE OR REPLACE MACRO notEmpty(x) AS len(x) > 0;
CREATE OR REPLACE MACRO transform(x, a, b, d) AS coalesce(b[list_position(a, x)], d);
CREATE OR REPLACE MACRO substringUTF8(x, a, n) AS substring(x, a, n);
CREATE OR REPLACE MACRO lengthUTF8(x) AS length(x);
-- The key is a JSON pointer, so that no key is read as a path. Values other than texts are given as their JSON. DuckDB
-- refuses half of a surrogate pair, as in the JSON of a text that was cut within an emoji: one such event must not fail
-- the reports of its project, and TRY costs nothing. A double without a fraction is written without one, as JavaScript
-- and ClickHouse do; in lists and objects the pattern takes every string as a whole, so that no text is changed. A lambda
-- names the value, which would be read twice otherwise: 0.43 us an event, and 0.35 without this spelling.
CREATE OR REPLACE MACRO JSONExtractString(x, k) AS
    coalesce(TRY(list_transform(
        [json_extract_string(x, concat('/', replace(replace(k, '~', '~0'), '/', '~1')))],
        lambda v: CASE WHEN contains(v, '.0') THEN
            CASE WHEN json_type(x, concat('/', replace(replace(k, '~', '~0'), '/', '~1'))) = 'VARCHAR' THEN v
                ELSE regexp_replace(v, '("(?:[^"\\]|\\.)*")|([0-9])[.]0([],}]|$)', '\1\2\3', 'g') END
            ELSE v END)[1]), '');
CREATE OR REPLACE MACRO JSONExtractKeys(x) AS coalesce(TRY(json_keys(x)), []);
CREATE OR REPLACE MACRO match(x, y) AS regexp_matches(x, y);
CREATE OR REPLACE MACRO toFloat64OrNull(x) AS TRY_CAST(x AS DOUBLE);
CREATE OR REPLACE MACRO intDiv(x, y) AS x // y;
CREATE OR REPLACE MACRO bitXor(x, y) AS xor(x, y);
CREATE OR REPLACE MACRO indexOf(l, x) AS coalesce(list_position(l, x), 0);
CREATE OR REPLACE MACRO medianExactLow(x) AS quantile_disc(x, 0.5);
CREATE OR REPLACE MACRO medianExactHigh(x) AS 0 - quantile_disc(0 - x, 0.5);
CREATE OR REPLACE MACRO groupArrayIf(x, c) AS coalesce(list(x) FILTER (WHERE c), []);
CREATE OR REPLACE MACRO arrayConcat(a, b) AS list_concat(a, b);
CREATE OR REPLACE MACRO arraySort(l) AS list_sort(l);
-- ClickHouse has `unnest` since 26.5 only.
CREATE OR REPLACE MACRO arrayJoin(l) AS unnest(l);
-- Only to divide work: its values differ between the engines, and between versions of DuckDB.
CREATE OR REPLACE MACRO cityHash64(x) AS hash(x);
