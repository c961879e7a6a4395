WITH scope AS
(
SELECT
    p.project_id AS project_id,
    greatest(p.first_day, coalesce(r.removed_before, p.first_day)) AS first_day,
    if(
        r.without_bots = (p.project_id IN CAST($scope_without_bots AS VARCHAR[])), r.clean_through, DATE '1969-12-31'
    ) + 1 AS dirty_from,
    coalesce(t.day, DATE '9999-12-31') AS running_day,
    coalesce(t.received_to, TIMESTAMP_MS '1900-01-01') AS received_to,
    coalesce(t.hours_to, TIMESTAMP_MS '1900-01-01') AS hours_to
FROM
(
    SELECT unnest(CAST($scope_projects AS VARCHAR[])) AS project_id, unnest(CAST($scope_first_days AS DATE[])) AS first_day
) AS p
LEFT JOIN rollup_state AS r ON r.project_id = p.project_id
LEFT JOIN running_days AS t ON t.project_id = p.project_id
    AND t.day > coalesce(r.clean_through, DATE '1969-12-31')
    AND t.without_bots = (p.project_id IN CAST($scope_without_bots AS VARCHAR[]))
    AND t.without_bots = coalesce(r.without_bots, t.without_bots)
),
left_out AS
(
SELECT v.project_id AS project_id, v.session AS session
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($read_from AS DATE) AND CAST($read_to AS DATE)
    AND v.is_first
    AND NOT (v.device != 'bot')
),
matched AS
(
SELECT
    bitXor(e.visitor, toUInt64(indexOf(CAST($projects AS VARCHAR[]), e.project_id))) AS who,
    toUInt64(toUnixTimestamp64Milli(e.timestamp)) * 1048576 + e.dedupe_key % 1048576 AS moment,
    if(e.type = CAST($step1_type AS VARCHAR), 1, 0) AS is_1,
    if(e.type = CAST($step2_type AS VARCHAR), if(e.event = CAST($step2_event AS VARCHAR), if((JSONExtractString(e.properties, CAST($step2_0_key AS VARCHAR)) = CAST($step2_0 AS VARCHAR)), 1, 0), 0), 0) AS is_2,
    if(e.type = CAST($step3_type AS VARCHAR), if(if(e.type = 'transaction' AND e.status NOT IN ('started', 'confirmed', 'reverted', 'rejected'), 1, 0) = 1, 1, 0), 0) AS is_3
FROM events AS e
INNER JOIN scope AS s ON s.project_id = e.project_id
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($funnel_to AS DATE)
    AND e.day >= s.first_day
    AND e.type IN CAST($types AS VARCHAR[])
    AND (e.project_id, e.session) NOT IN (SELECT project_id, session FROM left_out)
),
following_1 AS
(
SELECT who, moment, next_moment
FROM
(
    SELECT
        who,
        moment,
        is_1 AS is_this,
        min(if(is_2 = 1, moment, NULL))
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_moment
    FROM matched
    WHERE (is_1 = 1 OR is_2 = 1)
        AND who IN (SELECT who FROM matched WHERE is_2 = 1)
) AS pairs
WHERE is_this = 1
    AND next_moment IS NOT NULL
    AND intDiv(next_moment, 1048576) - intDiv(moment, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
following_2 AS
(
SELECT who, moment, next_moment
FROM
(
    SELECT
        who,
        moment,
        is_2 AS is_this,
        min(if(is_3 = 1, moment, NULL))
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_moment
    FROM matched
    WHERE (is_2 = 1 OR is_3 = 1)
        AND who IN (SELECT who FROM matched WHERE is_3 = 1)
) AS pairs
WHERE is_this = 1
    AND next_moment IS NOT NULL
    AND intDiv(next_moment, 1048576) - intDiv(moment, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
chains_2 AS
(
SELECT who, moment AS begun, moment AS before_last, next_moment AS reached
FROM following_1
WHERE moment < CAST($starts_before AS UBIGINT)
),
chains_3 AS
(
SELECT c.who AS who, c.begun AS begun, c.reached AS before_last, f.next_moment AS reached
FROM chains_2 AS c
INNER JOIN following_2 AS f ON f.who = c.who AND f.moment = c.reached
WHERE intDiv(f.next_moment, 1048576) - intDiv(c.begun, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
users AS
(
SELECT who, 1 AS step, first_moment AS start_moment, first_moment AS previous_moment, first_moment AS last_moment
FROM
(
    SELECT who, min(if(is_1 = 1 AND moment < CAST($starts_before AS UBIGINT), moment, NULL)) AS first_moment
    FROM matched
    GROUP BY who
) AS starts
WHERE first_moment IS NOT NULL
UNION ALL
SELECT
    who,
    2 AS step,
    min(begun) AS start_moment,
    argMin(before_last, begun) AS previous_moment,
    argMin(reached, begun) AS last_moment
FROM chains_2
GROUP BY who
UNION ALL
SELECT
    who,
    3 AS step,
    min(begun) AS start_moment,
    argMin(before_last, begun) AS previous_moment,
    argMin(reached, begun) AS last_moment
FROM chains_3
GROUP BY who
),
counts AS
(
SELECT '' AS breakdown, step, count() AS n_users, (medianExactLow(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(previous_moment, 1048576))) + medianExactHigh(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(previous_moment, 1048576)))) / 2000 AS from_previous, (medianExactLow(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(start_moment, 1048576))) + medianExactHigh(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(start_moment, 1048576)))) / 2000 AS from_start
FROM users
GROUP BY step
)
SELECT breakdown, step, n_users, from_previous, from_start
FROM counts
ORDER BY breakdown, step
-- first_day, funnel_ms, funnel_to, projects, read_from, read_to, scope_first_days, scope_projects, scope_without_bots, starts_before, step1_type, step2_0, step2_0_key, step2_event, step2_type, step3_type, types
