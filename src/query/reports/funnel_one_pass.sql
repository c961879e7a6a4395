-- The users of a funnel for an engine that computes a CTE again for each of its readers: every part has one reader. With
-- the parts of funnel.sql, ClickHouse read the events of ten steps 91 times. DuckDB computes a part once, and takes twice
-- as long for these: their windows order all events of a user by time once for each step. `who`, `moment`, `is_1` to
-- `is_10` and the rows of `counts` are those of funnel.sql.

-- name: starts
-- A chain starts with an event of the first step and takes the earliest event of each next one. `start_k` of an event of
-- step k is the latest start of a chain that has reached step k with it, and 0 if there is none. A later start never
-- reaches a step earlier: so a chain that ends with the event is in time if the one with the latest start is.
--
-- Of users without an event of the second step, four of five in most funnels, only the first start is kept.
SELECT {columns:Expression}, start_1
FROM
(
    SELECT
        *,
        {first_start:Expression} AS first_start,
        max(is_2) OVER (PARTITION BY who) AS has_second
    FROM
    (
        SELECT *, if(is_1 = 1 AND moment < {starts_before:UInt64}, moment, toUInt64(0)) AS start_1
        FROM matched
    ) AS begun
) AS every
WHERE first_start > 0 AND (moment = first_start OR (moment > first_start AND has_second = 1))

-- name: reached
SELECT
    *,
    if({is_this:Expression} = 1,
        coalesce(max({before:Expression})
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
        toUInt64(0)) AS {start:Expression}
FROM {chains:Relation}

-- name: ends
-- `end_k`: the first event of a user that reaches step k in time.
SELECT *
FROM
(
    SELECT *, {ends:Expression}
    FROM {chains:Relation}
) AS every
WHERE moment = end_1 OR end_2 > 0

-- name: chosen
-- `from_k`: the first start from which `end_k` is in time. It starts the first chain that reaches step k in time: a chain
-- with an earlier start reaches the step no later, and in time it would have an earlier end.
SELECT *, {starts:Expression}
FROM ends

-- name: users
-- One row a user. `previous_moment_k` is where the first chain to step k was at the step before: at the first event of
-- that step that a chain with the same or a later start has reached.
SELECT who, {columns:Expression}
FROM chosen
GROUP BY who

-- name: open_users
-- One row a user of an open funnel, whose steps may be done in any order. `last_moment_k`: when this and all earlier
-- steps are done.
SELECT who, {columns:Expression}
FROM
(
    SELECT who, {firsts:Expression}
    FROM matched
    GROUP BY who
) AS done

-- name: counts
SELECT '' AS breakdown, step, count() AS n_users, {from_previous:Expression}, {from_start:Expression}
FROM
(
    SELECT step, {moments:Expression}
    FROM (SELECT *, arrayJoin({steps:Expression}) AS step FROM users) AS each
) AS every
WHERE last_moment > 0
GROUP BY step

-- name: valued
-- Users with the value of the session that decides under which one they count.
SELECT u.*, {value:Expression} AS value
FROM sessions AS v
INNER JOIN users AS u
    ON u.session = v.session AND u.who = bitXor(v.visitor, toUInt64(indexOf({projects:Array(String)}, v.project_id)))
WHERE {v:Projects} AND v.day BETWEEN {first_day:Date} AND {funnel_to:Date}

-- name: grouped_counts
-- The values with the most users, and all others together.
SELECT breakdown, step, count() AS n_users, {from_previous:Expression}, {from_start:Expression}
FROM
(
    SELECT if(place <= {groups:UInt32}, value, 'Others') AS breakdown, step, {moments:Expression}
    FROM
    (
        SELECT *, arrayJoin({steps:Expression}) AS step
        FROM
        (
            SELECT *, dense_rank() OVER (ORDER BY n_of_value DESC, value) AS place
            FROM (SELECT *, count() OVER (PARTITION BY value) AS n_of_value FROM valued) AS sized
        ) AS placed
    ) AS each
) AS every
WHERE last_moment > 0
GROUP BY breakdown, step
