-- Rows of other projects, by names that the catalogue does not have. Each statement has a name and an outcome: `refused`,
-- or the exact rows of its answer as JSON, or `harmless` for an answer that may vary but holds nothing of others.

-- name: a condition on the hidden column | refused
SELECT * FROM events WHERE project_id = 'prj_foreign'

-- name: the hidden column by the table's name | refused
SELECT events.project_id FROM events

-- name: the hidden column by an alias | refused
SELECT e.project_id FROM events AS e

-- name: the hidden column of sessions | refused
SELECT project_id FROM sessions

-- name: the alias of our own subquery | refused
SELECT p.project_id FROM events

-- name: the alias of our own events | refused
SELECT e.* FROM events

-- name: OR 1 = 1 | [{"n":300}]
SELECT count() AS n FROM events WHERE type = 'page' OR 1 = 1

-- name: a condition that closes our brackets | refused
SELECT * FROM events WHERE 1 = 1) OR (1 = 1

-- name: a string that closes our quotes | []
SELECT * FROM events WHERE event = ''' OR project_id = ''prj_foreign'

-- name: a union with the table itself | refused
SELECT event FROM events UNION ALL SELECT event FROM main.events

-- name: qualified by schema | refused
SELECT * FROM main.events

-- name: qualified by database and schema | refused
SELECT * FROM warehouse.main.events

-- name: qualified in quotes | refused
SELECT * FROM "main"."events"

-- name: qualified in backquotes | refused
SELECT * FROM `main`.`events`

-- name: qualified by memory | refused
SELECT * FROM memory.main.events

-- name: the temporary schema | refused
SELECT * FROM temp.events

-- name: the system schema | refused
SELECT * FROM system.main.events

-- name: a dotted name in quotes | refused
SELECT * FROM "main.events"

-- name: another table of the warehouse: sessions by its schema | refused
SELECT * FROM main.sessions

-- name: another table of the warehouse: rollups | refused
SELECT * FROM rollups

-- name: another table of the warehouse: ledger | refused
SELECT * FROM ledger

-- name: another table of the warehouse: parked events | refused
SELECT * FROM parked_events

-- name: another table of the warehouse: their text | refused
SELECT * FROM parked_raw

-- name: another table of the warehouse: cursors | refused
SELECT * FROM log_cursors

-- name: another table of the warehouse: rollup state | refused
SELECT * FROM rollup_state

-- name: the relation behind ours | refused
SELECT * FROM project_events

-- name: a part behind ours | refused
SELECT * FROM events_with_ads

-- name: in upper case | [{"n":300}]
SELECT count() AS n FROM EVENTS

-- name: in upper case, in quotes | [{"n":300}]
SELECT count() AS n FROM "EVENTS"

-- name: with a trailing space in quotes | refused
SELECT * FROM "events "

-- name: with a homoglyph | refused
SELECT * FROM "еvents"

-- name: with a zero-width space | refused
SELECT * FROM "events​"

-- name: a subquery in the list of columns | refused
SELECT (SELECT count(*) FROM ledger) FROM events

-- name: a subquery in a condition | refused
SELECT * FROM events WHERE address IN (SELECT address FROM main.events)

-- name: EXISTS with a foreign table | refused
SELECT 1 WHERE EXISTS (SELECT 1 FROM main.events)

-- name: a join with a foreign table | refused
SELECT * FROM events JOIN main.events AS o USING (message_id)

-- name: a lateral join with a foreign table | refused
SELECT * FROM events, LATERAL (SELECT * FROM ledger) AS o

-- name: a subquery in LIMIT | refused
SELECT 1 LIMIT (SELECT count(*) FROM main.events)

-- name: a subquery in ORDER BY | refused
SELECT 1 ORDER BY (SELECT count(*) FROM ledger)

-- name: a subquery in HAVING | refused
SELECT count(*) FROM events HAVING (SELECT count(*) FROM ledger) > 0

-- name: a subquery in a FILTER | refused
SELECT count(*) FILTER (WHERE (SELECT count(*) FROM ledger) > 0) FROM events

-- name: a subquery in a window | refused
SELECT sum(1) OVER (ORDER BY (SELECT count(*) FROM ledger)) FROM events

-- name: a subquery in a frame | refused
SELECT sum(1) OVER (ORDER BY timestamp ROWS BETWEEN (SELECT count(*) FROM ledger) PRECEDING AND CURRENT ROW) FROM events

-- name: a subquery in CASE | refused
SELECT CASE WHEN (SELECT count(*) FROM ledger) > 0 THEN 1 END

-- name: a subquery in a join condition | refused
SELECT 1 FROM events a JOIN events b ON (SELECT count(*) FROM ledger) > 0

-- name: a subquery in GROUP BY | refused
SELECT 1 FROM events GROUP BY (SELECT count(*) FROM ledger)

-- name: a subquery in QUALIFY | refused
SELECT 1 FROM events QUALIFY (SELECT count(*) FROM ledger) > row_number() OVER ()

-- name: a subquery in REPLACE | refused
SELECT * REPLACE ((SELECT max(event) FROM main.events) AS event) FROM events

-- name: a subquery in DISTINCT ON | refused
SELECT DISTINCT ON ((SELECT count(*) FROM ledger)) event FROM events

-- name: a subquery as an argument | refused
SELECT lower((SELECT max(event) FROM main.events))

-- name: a subquery in a cast | refused
SELECT CAST((SELECT max(event) FROM main.events) AS String)

-- name: a subquery in an array | refused
SELECT [(SELECT max(event) FROM main.events)]

-- name: ARRAY of a subquery | refused
SELECT ARRAY(SELECT event FROM main.events)

-- name: ANY of a foreign table | refused
SELECT 'a' = ANY (SELECT event FROM main.events)

-- name: EXCEPT with a foreign table | refused
SELECT event FROM main.events EXCEPT SELECT event FROM events

-- name: INTERSECT with a foreign table | refused
SELECT event FROM events INTERSECT SELECT event FROM main.events

-- name: a table renamed to ours | refused
SELECT events.event FROM ledger AS events

-- name: columns renamed over the hidden one | refused
SELECT project_id FROM events AS e(project_id, b, c) WHERE b = 'prj_foreign' AND e.day > '2000-01-01'

-- name: renamed columns are ours | [{"n":300}]
SELECT count(project_id) AS n FROM events AS e(project_id, b, c)

-- name: a correlated column that our own subquery could take | [{"n":300}]
SELECT count() AS n FROM (SELECT 'prj_foreign' AS project_id) AS e, events

-- name: an outer alias that our own subquery uses | [{"n":300}]
SELECT count() AS n FROM (SELECT 'prj_foreign' AS project_id, DATE '1970-01-01' AS day) AS p, LATERAL (SELECT * FROM events) AS q

-- name: USING the hidden column | refused
SELECT * FROM events JOIN sessions USING (project_id)

-- name: a natural join | harmless
SELECT count() FROM events NATURAL JOIN identities

-- name: the row as a value | harmless
SELECT e FROM events AS e LIMIT 3

-- name: the hidden field of the row | refused
SELECT e.project_id FROM (SELECT events AS e FROM events)

-- name: the number of a row | refused
SELECT rowid FROM events

-- name: EXCLUDE of everything that is ours | refused
SELECT * EXCLUDE (project_id) FROM events

-- name: all columns by pattern | refused
SELECT COLUMNS('.*') FROM events

-- name: all columns by a lambda | refused
SELECT COLUMNS(c -> c = 'project_id') FROM events

-- name: all columns in an expression | refused
SELECT COLUMNS(*)::String FROM events

-- name: columns like a pattern | refused
SELECT * LIKE '%project%' FROM events

-- name: renamed star | refused
SELECT * RENAME (event AS project_id) FROM events

-- name: a foreign project id as a value | [{"p":"prj_foreign"}]
SELECT 'prj_foreign' AS p

-- name: a table of the engine as a lone item of IN | refused
SELECT count() FROM events WHERE event IN (events_rows)

-- name: a table of the engine as a lone item of NOT IN | refused
SELECT count() FROM events WHERE (event, type) NOT IN (events_rows)

-- name: a qualified table as a lone item of IN | refused
SELECT 1 IN (system.one)

-- name: an alias with the name of a table as a lone item of IN | [{"n":0}]
SELECT count() AS n FROM (SELECT event, type AS events_rows FROM events) AS a WHERE event IN (events_rows)

-- name: a CTE as a lone item of IN | refused
WITH events_rows AS (SELECT 1 AS one) SELECT 1 IN (events_rows)

-- name: aliases with the names of tables inside of ours | [{"e":300,"p":1,"s":2,"t":3,"o":4}]
SELECT count() AS e, 1 AS p, 2 AS s, 3 AS t, 4 AS o FROM events

-- name: an alias with the name of the hidden column | [{"project_id":"prj_foreign","n":300}]
SELECT 'prj_foreign' AS project_id, count() AS n FROM events

-- name: aliases with the names of hidden columns of time | [{"day":"2026-03-01","dedupe_day":"2026-03-02","n":300}]
SELECT toDate('2026-03-01') AS day, toDate('2026-03-02') AS dedupe_day, count() AS n FROM events

-- name: a row as an alias with the name of a table inside of ours | [{"n":300}]
SELECT n FROM (SELECT (1, 2) AS p, ('prj_foreign', 3) AS e, count() AS n FROM events)

-- name: the mark of a FILTER in an argument, and a filter that closes the call | [{"m":null}]
SELECT mode(lower('$where')) FILTER (WHERE type = ')), 1) AS m, (SELECT groupArray((project_id, n)) FROM (SELECT project_id, count() AS n FROM events_rows GROUP BY project_id)) AS rows_of_all -- ') AS m FROM events

-- name: the mark of a FILTER in an argument of a function with If | [{"m":null}]
SELECT modeIf(lower('$where'), type = ')), 1) AS m, (SELECT groupArray(project_id) FROM events_rows) AS rows_of_all -- ') AS m FROM events

-- name: the mark of a FILTER in an argument of a window | bounded
SELECT mode(lower('$where')) FILTER (WHERE type = ')), 1) AS m, (SELECT groupArray(project_id) FROM events_rows) AS rows_of_all -- ') OVER () AS m FROM events LIMIT 1

-- name: the mark of a FILTER in its own condition | [{"m":null}]
SELECT mode(type) FILTER (WHERE type = '$where' OR type = ')), 1), (SELECT any(project_id) FROM events_rows) -- ') AS m FROM events

-- name: marks of other arguments in an argument | [{"s":"$2, $1, $where, ITEM"}]
SELECT splitByString('/', '$2, $1, $where, ITEM')[1] AS s

-- name: the name of our own item | refused
SELECT has(["our item"], 5) AS h FROM (SELECT 7 AS "our item")

-- name: the name of our own item, in capitals | refused
SELECT 1 AS "OUR item", 2 AS n FROM events

-- name: an alias with the name of our own events | refused
SELECT type AS "our e" FROM events

-- name: a table with the name of our own events | refused
SELECT type FROM events AS "our e"

-- name: a column of a table with the name of our own | refused
SELECT 1 AS n FROM (SELECT 1) AS t("our p")
