-- Other statements than SELECT, several statements, comments, and syntax beside SELECT.

-- name: INSERT | refused
INSERT INTO events SELECT * FROM events

-- name: UPDATE | refused
UPDATE events SET event = 'x'

-- name: DELETE | refused
DELETE FROM events

-- name: DROP | refused
DROP TABLE events

-- name: ALTER | refused
ALTER TABLE events ADD COLUMN a INT

-- name: TRUNCATE | refused
TRUNCATE events

-- name: CREATE TABLE | refused
CREATE TABLE a AS SELECT 1

-- name: CREATE VIEW | refused
CREATE OR REPLACE VIEW events AS SELECT * FROM main.events

-- name: CREATE MACRO | refused
CREATE MACRO a() AS TABLE SELECT * FROM main.events

-- name: CREATE SECRET | refused
CREATE SECRET a (TYPE s3)

-- name: ATTACH | refused
ATTACH 'other.duckdb' AS other

-- name: DETACH | refused
DETACH warehouse

-- name: USE | refused
USE main

-- name: COPY to a file | refused
COPY (SELECT * FROM events) TO '/tmp/events.csv'

-- name: COPY from a file | refused
COPY events FROM '/etc/passwd'

-- name: EXPORT | refused
EXPORT DATABASE '/tmp/all'

-- name: IMPORT | refused
IMPORT DATABASE '/tmp/all'

-- name: INSTALL | refused
INSTALL httpfs

-- name: LOAD | refused
LOAD httpfs

-- name: PRAGMA | refused
PRAGMA database_list

-- name: PRAGMA with a value | refused
PRAGMA memory_limit='1TB'

-- name: SET | refused
SET memory_limit = '1TB'

-- name: SET VARIABLE | refused
SET VARIABLE a = 1

-- name: RESET | refused
RESET memory_limit

-- name: CHECKPOINT | refused
FORCE CHECKPOINT

-- name: VACUUM | refused
VACUUM

-- name: BEGIN | refused
BEGIN TRANSACTION

-- name: COMMIT | refused
COMMIT

-- name: PREPARE | refused
PREPARE a AS SELECT * FROM main.events

-- name: EXECUTE | refused
EXECUTE a

-- name: CALL | refused
CALL pragma_database_list()

-- name: EXPLAIN | refused
EXPLAIN SELECT * FROM events

-- name: EXPLAIN ANALYZE | refused
EXPLAIN ANALYZE SELECT * FROM events

-- name: DESCRIBE | refused
DESCRIBE main.events

-- name: SHOW TABLES | refused
SHOW ALL TABLES

-- name: SUMMARIZE | refused
SUMMARIZE main.events

-- name: VALUES | refused
VALUES (1)

-- name: VALUES in FROM | refused
SELECT * FROM (VALUES (1)) AS v(a)

-- name: TABLE | refused
TABLE events

-- name: FROM first | refused
FROM main.events

-- name: FROM first in a subquery | refused
SELECT * FROM (FROM main.events)

-- name: DESCRIBE in a subquery | refused
SELECT * FROM (DESCRIBE main.events)

-- name: SHOW in a subquery | refused
SELECT * FROM (SHOW ALL TABLES)

-- name: SUMMARIZE in a subquery | refused
SELECT * FROM (SUMMARIZE main.events)

-- name: PIVOT | refused
PIVOT main.events ON device USING count(*)

-- name: PIVOT in a subquery | refused
SELECT * FROM (PIVOT events ON device IN ('desktop') USING count(*))

-- name: UNPIVOT in FROM | refused
SELECT * FROM events UNPIVOT (v FOR n IN (event, type))

-- name: two statements | refused
SELECT 1; SELECT * FROM main.events

-- name: two statements, the first one empty | refused
; DROP TABLE events

-- name: a statement after FORMAT | refused
SELECT 1 FORMAT JSON; DROP TABLE events

-- name: a semicolon in a string | [{"a":"; DROP TABLE events"}]
SELECT '; DROP TABLE events' AS a

-- name: a line comment | refused
SELECT 1 -- FROM events

-- name: a block comment | refused
SELECT 1 /* FROM events */

-- name: a comment in a word | refused
SELECT * FROM main/**/.events

-- name: a nested comment | refused
SELECT /* /* */ 1 */ 2

-- name: a comment of MySQL | refused
SELECT 1 # FROM events

-- name: the start of a comment in a string | [{"a":"-- /* #"}]
SELECT '-- /* #' AS a

-- name: a quote that is not closed | refused
SELECT 'a

-- name: a backslash before a quote | refused
SELECT 'a\' OR 1 = 1 AND ''

-- name: a string with a prefix | refused
SELECT E'a\nb'

-- name: a dollar-quoted string | refused
SELECT $$ SELECT $$

-- name: a tagged dollar-quoted string | refused
SELECT $a$ ' $a$

-- name: a parameter | refused
SELECT $1

-- name: our own parameter | refused
SELECT $project_id

-- name: our own parameter as text | [{"a":"$project_id"}]
SELECT '$project_id' AS a

-- name: an anonymous parameter | refused
SELECT ?

-- name: a template | refused
SELECT {a: 1}

-- name: a parameter of ClickHouse | refused
SELECT {project:String}

-- name: SELECT INTO | refused
SELECT 1 INTO a

-- name: SELECT INTO OUTFILE | refused
SELECT 1 INTO OUTFILE '/tmp/a'

-- name: FOR UPDATE | refused
SELECT * FROM events FOR UPDATE

-- name: SETTINGS | refused
SELECT 1 SETTINGS max_execution_time = 0

-- name: SETTINGS in a subquery | refused
SELECT * FROM (SELECT 1 SETTINGS readonly = 0)

-- name: a sample | refused
SELECT * FROM events USING SAMPLE 10

-- name: a sample of a table | refused
SELECT * FROM events TABLESAMPLE 10%

-- name: time travel | refused
SELECT * FROM events AT (VERSION => 1)

-- name: a positional join | refused
SELECT * FROM events POSITIONAL JOIN sessions

-- name: a reference by position | refused
SELECT #1 FROM events

-- name: COLLATE | refused
SELECT event COLLATE NOCASE FROM events

-- name: DEFAULT | refused
SELECT DEFAULT

-- name: a lambda | refused
SELECT list_transform([1], x -> x + 1)

-- name: a lambda with its word | refused
SELECT list_transform([1], lambda x: x + 1)

-- name: a list comprehension | refused
SELECT [x FOR x IN [1, 2]]

-- name: an empty query | refused
   

-- name: only a semicolon | refused
;

-- name: a dot | refused
.

-- name: a limit above the most | refused
SELECT 1 LIMIT 1000001

-- name: a limit beyond numbers | refused
SELECT 1 LIMIT 99999999999999999999999

-- name: a negative limit | refused
SELECT 1 LIMIT -1

-- name: a limit of percent | refused
SELECT 1 LIMIT 100%

-- name: a limit of all | refused
SELECT 1 LIMIT ALL

-- name: a computed limit | refused
SELECT 1 LIMIT 1 + 1

-- name: a number that is no number | refused
SELECT 1e400

-- name: a limit by a column | refused
SELECT * FROM events LIMIT 1 BY event

-- name: minus signs that would begin a comment | [{"n":5}]
SELECT -toNullable(-5) AS n

-- name: minus signs of constants that would begin a comment | [{"n":-5}]
SELECT - -(-5) AS n

-- name: signs that would begin a long comment | [{"n":1}]
SELECT toNullable(2) / toNullable(2) * 1 AS n
