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
chains_1 AS
(
SELECT who, moment, is_1, is_2, is_3, start_1
FROM
(
    SELECT
        *,
        coalesce(min(if(start_1 > 0, moment, NULL)) OVER (PARTITION BY who), 0) AS first_start,
        max(is_2) OVER (PARTITION BY who) AS has_second
    FROM
    (
        SELECT *, if(is_1 = 1 AND moment < CAST($starts_before AS UBIGINT), moment, toUInt64(0)) AS start_1
        FROM matched
    ) AS begun
) AS every
WHERE first_start > 0 AND (moment = first_start OR (moment > first_start AND has_second = 1))
),
chains_2 AS
(
SELECT
    *,
    if(is_2 = 1,
        coalesce(max(start_1)
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
        toUInt64(0)) AS start_2
FROM chains_1
),
chains_3 AS
(
SELECT
    *,
    if(is_3 = 1,
        coalesce(max(start_2)
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
        toUInt64(0)) AS start_3
FROM chains_2
),
ends AS
(
SELECT *
FROM
(
    SELECT *, coalesce(min(if(start_1 > 0 AND intDiv(moment, 1048576) - intDiv(start_1, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_1, coalesce(min(if(start_2 > 0 AND intDiv(moment, 1048576) - intDiv(start_2, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_2, coalesce(min(if(start_3 > 0 AND intDiv(moment, 1048576) - intDiv(start_3, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_3
    FROM chains_3
) AS every
WHERE moment = end_1 OR end_2 > 0
),
chosen AS
(
SELECT *, coalesce(min(if(start_1 > 0 AND end_2 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_2, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_2, coalesce(min(if(start_1 > 0 AND end_3 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_3, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_3
FROM ends
),
users AS
(
SELECT who, max(end_1) AS start_moment_1, max(end_1) AS previous_moment_1, max(end_1) AS last_moment_1, max(from_2) AS start_moment_2, max(from_2) AS previous_moment_2, max(end_2) AS last_moment_2, max(from_3) AS start_moment_3, coalesce(min(if(from_3 > 0 AND start_2 >= from_3, moment, NULL)), 0) AS previous_moment_3, max(end_3) AS last_moment_3
FROM chosen
GROUP BY who
),
counts AS
(
SELECT '' AS breakdown, step, count() AS n_users, (medianExactLow(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(previous_moment, 1048576))) + medianExactHigh(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(previous_moment, 1048576)))) / 2000 AS from_previous, (medianExactLow(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(start_moment, 1048576))) + medianExactHigh(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(start_moment, 1048576)))) / 2000 AS from_start
FROM
(
    SELECT step, [start_moment_1, start_moment_2, start_moment_3][step] AS start_moment, [previous_moment_1, previous_moment_2, previous_moment_3][step] AS previous_moment, [last_moment_1, last_moment_2, last_moment_3][step] AS last_moment
    FROM (SELECT *, arrayJoin([1, 2, 3]) AS step FROM users) AS each
) AS every
WHERE last_moment > 0
GROUP BY step
)
SELECT breakdown, step, n_users, from_previous, from_start
FROM counts
ORDER BY breakdown, step
-- first_day, funnel_ms, funnel_to, projects, read_from, read_to, scope_first_days, scope_projects, scope_without_bots, starts_before, step1_type, step2_0, step2_0_key, step2_event, step2_type, step3_type, types
