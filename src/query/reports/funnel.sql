-- How many users get how far through a list of steps. A user, `who`, is a visitor of a project. A `moment` orders
-- events: 43 bits of time and 20 bits of the dedupe key, as in sessions. `is_1` to `is_10` say which steps an event
-- matches. Keys are single 64-bit numbers: with the project's name as a text beside them, the windows over 2 million
-- events took twice the processor time.

-- name: matched
-- Events of the types of all steps. Those without a mark do no harm; a filter on the marks would compute them twice.
SELECT
    bitXor(e.visitor, toUInt64(indexOf({projects:Array(String)}, e.project_id))) AS who,
    toUInt64(toUnixTimestamp64Milli(e.timestamp)) * 1048576 + e.dedupe_key % 1048576 AS moment,
    {columns:Expression}
FROM events AS e {e:InScope}
WHERE {e:Projects}
    AND e.day BETWEEN {first_day:Date} AND {funnel_to:Date}
    AND e.day >= s.first_day
    AND e.type IN {types:Array(String)}
    AND {is_kept:Condition}

-- name: following
-- For each event of a step the next one of the following step, if it comes in time.
SELECT who, moment, next_moment
FROM
(
    SELECT
        who,
        moment,
        {is_this:Expression} AS is_this,
        min(if({is_next:Expression} = 1, moment, NULL))
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_moment
    FROM matched
    WHERE ({is_this:Expression} = 1 OR {is_next:Expression} = 1)
        AND who IN (SELECT who FROM matched WHERE {is_next:Expression} = 1)
) AS pairs
WHERE is_this = 1
    AND next_moment IS NOT NULL
    AND intDiv(next_moment, 1048576) - intDiv(moment, 1048576) <= {funnel_ms:UInt64}

-- name: chains_of_two
-- Chains that reach the second step, by their start. A chain takes the earliest event of each step.
SELECT who, moment AS begun, moment AS before_last, next_moment AS reached
FROM following_1
WHERE moment < {starts_before:UInt64}

-- name: chains
-- Chains that reach one step more.
SELECT c.who AS who, c.begun AS begun, c.reached AS before_last, f.next_moment AS reached
FROM {chains:Relation} AS c
INNER JOIN {following:Relation} AS f ON f.who = c.who AND f.moment = c.reached
WHERE intDiv(f.next_moment, 1048576) - intDiv(c.begun, 1048576) <= {funnel_ms:UInt64}

-- name: users_of_start
-- It reads all of `matched`: if every reader had a filter, DuckDB would test the marks of all of them while it computes
-- the relation, and so compute them twice (a quarter of the time).
SELECT who, 1 AS step, first_moment AS start_moment, first_moment AS previous_moment, first_moment AS last_moment
FROM
(
    SELECT who, min(if(is_1 = 1 AND moment < {starts_before:UInt64}, moment, NULL)) AS first_moment
    FROM matched
    GROUP BY who
) AS starts
WHERE first_moment IS NOT NULL

-- name: users_of_step
-- Each user who reaches the step, with the first chain that does.
SELECT
    who,
    {step:Expression} AS step,
    min(begun) AS start_moment,
    argMin(before_last, begun) AS previous_moment,
    argMin(reached, begun) AS last_moment
FROM {chains:Relation}
GROUP BY who

-- name: firsts
-- The first event of each step, for an open funnel.
SELECT who, {firsts:Expression}
FROM matched
GROUP BY who

-- name: users_of_open_step
-- Each user who has done this and all earlier steps, in any order, and when that was first true.
SELECT
    who,
    {step:Expression} AS step,
    first_1 AS start_moment,
    {previous:Expression} AS previous_moment,
    {last:Expression} AS last_moment
FROM firsts
WHERE {is_done:Condition}

-- name: counts
SELECT '' AS breakdown, step, count() AS n_users, {from_previous:Expression}, {from_start:Expression}
FROM users
GROUP BY step

-- name: touched
-- The event whose session decides under which value a user counts.
SELECT who, {touch:Expression} AS touch_moment
FROM users
GROUP BY who

-- name: valued
SELECT t.who AS who, min({value:Expression}) AS value
FROM sessions AS v
INNER JOIN
(
    SELECT m.who AS who, m.session AS session
    FROM matched AS m
    INNER JOIN touched AS t ON t.who = m.who AND t.touch_moment = m.moment
) AS t ON t.session = v.session AND t.who = bitXor(v.visitor, toUInt64(indexOf({projects:Array(String)}, v.project_id)))
WHERE {v:Projects} AND v.day BETWEEN {first_day:Date} AND {funnel_to:Date}
GROUP BY t.who

-- name: top
SELECT value
FROM valued
GROUP BY value
ORDER BY count() DESC, value
LIMIT {groups:UInt32}

-- name: grouped_counts
SELECT breakdown, step, count() AS n_users, {from_previous:Expression}, {from_start:Expression}
FROM
(
    SELECT
        if(g.value IN (SELECT value FROM top), g.value, 'Others') AS breakdown,
        u.step AS step,
        u.start_moment AS start_moment,
        u.previous_moment AS previous_moment,
        u.last_moment AS last_moment
    FROM users AS u
    INNER JOIN valued AS g ON g.who = u.who
) AS every
GROUP BY breakdown, step
