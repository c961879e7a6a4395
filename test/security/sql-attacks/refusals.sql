-- Mistakes that the engine itself refuses, after the check: its message must not show what is behind the tables.

-- name: a column beside an aggregate | refused
SELECT type, count() FROM events

-- name: an aggregate in an aggregate | refused
SELECT sum(sum(volume)) FROM events

-- name: an aggregate in WHERE | refused
SELECT * FROM events WHERE sum(volume) > 1

-- name: a day of a text | refused
SELECT toDate(context) FROM events

-- name: a number of a text | refused
SELECT CAST(context AS Int32) FROM events

-- name: an unknown column of a table | refused
SELECT events.nope FROM events

-- name: a table that is not read | refused
SELECT u.address FROM events AS e

-- name: a column of two tables | refused
SELECT address FROM events AS a JOIN users AS b ON a.address = b.address

-- name: a column in HAVING | refused
SELECT count() FROM events HAVING type = 'a'

-- name: another table in a window | refused
SELECT row_number() OVER (ORDER BY users.address) FROM events

-- name: a position in GROUP BY that is not there | refused
SELECT 1 FROM events GROUP BY 7

-- name: a position in ORDER BY that is not there | refused
SELECT type FROM events ORDER BY 9

-- name: a union of different widths | refused
SELECT type FROM events UNION ALL SELECT type, event FROM events

-- name: a value of many rows | refused
SELECT (SELECT type FROM events)

-- name: IN with two columns | refused
SELECT count() FROM events WHERE event IN (SELECT type, event FROM events)

-- name: a text where an array belongs | refused
SELECT arraySort(type) FROM events

-- name: a sum of texts | refused
SELECT sum(type) FROM events

-- name: an alias of an aggregate in WHERE | refused
SELECT max(volume) AS v FROM events WHERE v > 1

-- name: a column of another table | refused
SELECT volume FROM sessions

-- name: a column that a subquery leaves out | refused
SELECT a.address FROM (SELECT type FROM events) AS a

-- name: the year of a text | refused
SELECT toYear(context) FROM events

-- name: an item of a text | refused
SELECT has(type, 'a') FROM events

-- name: an unknown column in ON | refused
SELECT count() FROM events AS a JOIN users AS b ON a.nope = b.address

-- name: USING a column of one side | refused
SELECT count() FROM events JOIN users USING (volume, referrer_url)

-- name: an unknown column in a window | refused
SELECT sum(volume) OVER (PARTITION BY sum(nope)) FROM events

-- name: an unknown unit of time | refused
SELECT dateDiff('parsec', timestamp, timestamp) FROM events

-- name: the length of a number | refused
SELECT length(volume) FROM events

-- name: a text compared with a number | refused
SELECT type FROM events WHERE type = 5

-- name: grouping without groups | refused
SELECT grouping(type) FROM events

-- name: a day of a text in a join | refused
SELECT CAST(type AS Date) FROM users, events

-- name: a number of a name | refused
SELECT toInt64(anonymous_id) FROM events

-- name: a number of a text in a CTE | refused
WITH a AS (SELECT toInt64(type) AS n FROM events) SELECT n FROM a WHERE n > 1

-- name: a text as a condition | refused
SELECT if(type, 1, 2) FROM events

-- name: a filtered sum of texts | refused
SELECT sum(DISTINCT type) FILTER (WHERE volume > 1) FROM events

-- name: an unknown unit to truncate by | refused
SELECT date_trunc('nope', timestamp) FROM events

-- name: an unknown part of a time | refused
SELECT extract(NOPE FROM timestamp) FROM events

-- name: a pattern that does not close | refused
SELECT regexp_extract(type, '(', 1) FROM events

-- name: a level above one | refused
SELECT quantile_cont(volume, 7) FROM events

-- name: an interval of nothing | refused
SELECT toStartOfInterval(timestamp, INTERVAL 0 DAY) FROM events
