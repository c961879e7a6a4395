-- Common table expressions: shadowing, scope, recursion.

-- name: a CTE with the name of a table reads the table | [{"n":300}]
WITH events AS (SELECT * FROM events) SELECT count() AS n FROM events

-- name: a CTE with the name of a foreign table | [{"n":1}]
WITH ledger AS (SELECT 1 AS one) SELECT count() AS n FROM ledger

-- name: a CTE that is a foreign table | refused
WITH ledger AS (SELECT * FROM ledger) SELECT * FROM ledger

-- name: a CTE of a foreign table under another name | refused
WITH a AS (SELECT * FROM main.ledger) SELECT * FROM a

-- name: a CTE used outside of its scope | refused
SELECT * FROM (WITH ledger AS (SELECT 1 AS one) SELECT * FROM ledger) AS a, ledger

-- name: a CTE used before it is defined | refused
WITH a AS (SELECT * FROM ledger), ledger AS (SELECT 1 AS one) SELECT * FROM a

-- name: a CTE of a later branch of a union | refused
SELECT minute FROM ledger UNION ALL (WITH ledger AS (SELECT 1 AS minute) SELECT minute FROM ledger)

-- name: a CTE of an inner subquery | refused
SELECT (WITH parked_raw AS (SELECT 'a' AS text) SELECT text FROM parked_raw), (SELECT max(text) FROM parked_raw)

-- name: a CTE with our hidden name | refused
WITH "cte ledger" AS (SELECT 1) SELECT * FROM "cte ledger"

-- name: a CTE with a quote in its name | refused
WITH "a"" AS (SELECT * FROM main.events), ""b" AS (SELECT 1) SELECT * FROM "b"

-- name: a CTE with a qualified name | refused
WITH "main.events" AS (SELECT 1) SELECT * FROM main.events

-- name: a recursive CTE | refused
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r

-- name: an endless recursive CTE | refused
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count() FROM r

-- name: a recursive CTE with a key | refused
WITH RECURSIVE r(n) USING KEY (n) AS (SELECT 1 UNION SELECT n + 1 FROM r) SELECT * FROM r

-- name: a recursive table of our name | refused
WITH RECURSIVE events AS (SELECT 1 AS n UNION ALL SELECT n FROM main.events) SELECT * FROM events

-- name: a CTE that writes | refused
WITH a AS (INSERT INTO events SELECT * FROM events) SELECT 1

-- name: a CTE that deletes | refused
WITH a AS (DELETE FROM events) SELECT 1

-- name: two CTEs of one name | refused
WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a

-- name: not materialized | [{"n":300}]
WITH a AS NOT MATERIALIZED (SELECT * FROM events) SELECT count() AS n FROM a

-- name: a CTE in a CTE | [{"n":1}]
WITH a AS (WITH b AS (SELECT 1 AS x) SELECT * FROM b) SELECT count() AS n FROM a
