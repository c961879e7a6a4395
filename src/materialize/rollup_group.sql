-- What the rollups and profiles of a group of partitions are made of. The engine gives the relation `due`, a row for each project of
-- the group: due_project, first_day and last_day of its partitions in the group, without_bots (1 or 0: the project leaves
-- them out). `first_day` and `last_day` of the whole group are parameters, too: only a constant skips row groups.

-- name: sessions
-- Each is added to the rollups (`weight` 1).
SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}

-- name: events
SELECT e.*, d.without_bots AS without_bots
FROM events AS e
INNER JOIN due AS d ON d.due_project = e.project_id
WHERE e.day BETWEEN d.first_day AND d.last_day AND e.day BETWEEN {first_day:Date} AND {last_day:Date}

-- name: visits
-- The sessions that may be touches of the group's wallets: of their visitors, from some days before on.
SELECT s.*, d.first_day AS due_from
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day <= d.last_day AND s.day >= d.first_day - {touch_days:Expression}
    AND s.day BETWEEN {first_day:Date} - {touch_days:Expression} AND {last_day:Date}
    AND (s.project_id, s.visitor) IN
    (
        SELECT v.project_id, v.visitor FROM {due_sessions:Relation} AS v WHERE notEmpty(v.addresses)
    )

-- name: received
-- Those that were received in a span of time.
SELECT e.*, d.without_bots AS without_bots
FROM events AS e
INNER JOIN due AS d ON d.due_project = e.project_id
WHERE e.day = {first_day:Date}
    AND e.received_at > fromUnixTimestamp64Milli({received_from:Int64})
    AND e.received_at <= fromUnixTimestamp64Milli({received_to:Int64})

-- name: of_hours
-- Those of some hours of a day.
SELECT e.*, d.without_bots AS without_bots
FROM events AS e
INNER JOIN due AS d ON d.due_project = e.project_id
WHERE e.day = {first_day:Date}
    AND e.timestamp >= fromUnixTimestamp64Milli({hours_from:Int64})
    AND e.timestamp < fromUnixTimestamp64Milli({hours_to:Int64})

-- name: history
-- The sessions that count, of the group and of all earlier days of its projects. All earlier days are one, `at_day`
-- 1970-01-01: of a visitor who came on each of them nothing but the last one is needed. Those of the group are in no
-- rollup before, and in one afterwards.
SELECT
    s.*,
    if(s.day < d.first_day, toDate('1970-01-01'), s.day) AS at_day,
    if(s.day < d.first_day, 0, 1) AS is_due,
    1 AS weight,
    0 AS is_in_before,
    1 AS is_in_after
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day <= d.last_day AND s.day <= {last_day:Date} AND (d.without_bots = 0 OR s.device NOT IN ({bots:Expression}))

-- name: moved
-- Of a running day: the sessions whose last event was received in a span of time, which are added to the rollups, and the
-- rows under which some of them are in the rollups so far, which are taken from them (`weight` -1). Some have gone on since
-- the time up to which the day is being rolled up: of those the rows of that time were kept.
SELECT {columns:Expression}, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE {in_span:Condition}
UNION ALL
SELECT {columns:Expression}, d.without_bots AS without_bots, if({is_before:Condition}, -1, 1) AS weight
FROM replaced_sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE {in_span:Condition} OR s.day = {first_day:Date} AND {is_before:Condition} AND {is_moved:Condition}

-- name: is_before
s.received_to <= fromUnixTimestamp64Milli({received_from:Int64})

-- name: in_span
s.day = {first_day:Date}
    AND s.received_to > fromUnixTimestamp64Milli({received_from:Int64})
    AND s.received_to <= fromUnixTimestamp64Milli({received_to:Int64})

-- name: is_moved
s.session IN
    (
        SELECT s.session FROM sessions AS s INNER JOIN due AS d ON d.due_project = s.project_id WHERE {in_span:Condition}
        UNION ALL
        SELECT s.session FROM replaced_sessions AS s INNER JOIN due AS d ON d.due_project = s.project_id
        WHERE {in_span:Condition}
    )

-- name: running_history
-- As `history`, for a running day: who is in its rollups before and after those have moved. A visitor who is in them by
-- another session is not added again. Of earlier days only the last one counts on which somebody was seen, so that all
-- rows of a visitor can be of one day.
SELECT
    {columns:Expression},
    {first_day:Date} AS at_day,
    0 AS is_due,
    0 AS weight,
    0 AS is_in_before,
    0 AS is_in_after
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day < {first_day:Date} AND (d.without_bots = 0 OR s.device NOT IN ({bots:Expression}))
UNION ALL
SELECT
    {columns:Expression},
    {first_day:Date} AS at_day,
    1 AS is_due,
    if({is_before:Condition}, 0, 1) AS weight,
    if({is_before:Condition}, 1, 0) AS is_in_before,
    1 AS is_in_after
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day = {first_day:Date} AND s.received_to <= fromUnixTimestamp64Milli({received_to:Int64})
    AND (d.without_bots = 0 OR s.device NOT IN ({bots:Expression}))
UNION ALL
SELECT
    {columns:Expression},
    {first_day:Date} AS at_day,
    1 AS is_due,
    if({is_before:Condition}, if({is_moved:Condition}, -1, 0), 1) AS weight,
    if({is_before:Condition}, 1, 0) AS is_in_before,
    if({is_before:Condition} AND {is_moved:Condition}, 0, 1) AS is_in_after
FROM replaced_sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day = {first_day:Date} AND s.received_to <= fromUnixTimestamp64Milli({received_to:Int64})
    AND (d.without_bots = 0 OR s.device NOT IN ({bots:Expression}))

-- name: session_counts
(v.without_bots = 0 OR v.device NOT IN ({bots:Expression}))

-- name: event_counts
-- Of an event `e`: its session counts.
(e.project_id, e.session) NOT IN
    (
        SELECT v.project_id, v.session FROM {due_sessions:Relation} AS v
        WHERE v.without_bots = 1 AND v.device IN ({bots:Expression})
    )

-- name: seen_before
-- The day after the last one before `at_day`, or 1970-01-01: nothing before is that on ClickHouse, and NULL on DuckDB.
coalesce(
    max(seen_day + 1) OVER
        (PARTITION BY {seen:Expression} ORDER BY at_day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    toDate('1970-01-01')
)

-- name: running_seen_before
-- The same where all rows are of one day: `seen_day` is NULL of its own.
coalesce(seen_day + 1, toDate('1970-01-01'))
