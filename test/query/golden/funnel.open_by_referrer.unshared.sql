WITH scope AS
(
SELECT
    p.project_id AS project_id,
    greatest(p.first_day, coalesce(r.removed_before, p.first_day)) AS first_day,
    if(
        r.without_bots = (p.project_id IN CAST([] AS VARCHAR[])), r.clean_through, DATE '1969-12-31'
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
    AND t.without_bots = (p.project_id IN CAST([] AS VARCHAR[]))
    AND t.without_bots = coalesce(r.without_bots, t.without_bots)
),
matched AS
(
SELECT
    bitXor(e.visitor, toUInt64(indexOf(CAST($projects AS VARCHAR[]), e.project_id))) AS who,
    toUInt64(toUnixTimestamp64Milli(e.timestamp)) * 1048576 + e.dedupe_key % 1048576 AS moment,
    e.session AS session,
    if(e.type = CAST($step1_type AS VARCHAR), 1, 0) AS is_1,
    if(e.type = CAST($step2_type AS VARCHAR), if(e.event = CAST($step2_event AS VARCHAR), if((JSONExtractString(e.properties, CAST($step2_0_key AS VARCHAR)) = CAST($step2_0 AS VARCHAR)), 1, 0), 0), 0) AS is_2,
    if(e.type = CAST($step3_type AS VARCHAR), if(if(e.type = 'transaction' AND e.status NOT IN ('started', 'confirmed', 'reverted', 'rejected'), 1, 0) = 1, 1, 0), 0) AS is_3
FROM events AS e
INNER JOIN scope AS s ON s.project_id = e.project_id
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($funnel_to AS DATE)
    AND e.day >= s.first_day
    AND e.type IN CAST($types AS VARCHAR[])
    AND 1 = 1
),
users AS
(
SELECT who, if(first_1 > 0, first_1, 0) AS start_moment_1, if(first_1 > 0, greatest(first_1), 0) AS previous_moment_1, if(first_1 > 0, greatest(first_1), 0) AS last_moment_1, if(first_1 > 0 AND first_2 > 0, first_1, 0) AS start_moment_2, if(first_1 > 0 AND first_2 > 0, greatest(first_1), 0) AS previous_moment_2, if(first_1 > 0 AND first_2 > 0, greatest(first_1, first_2), 0) AS last_moment_2, if(first_1 > 0 AND first_2 > 0 AND first_3 > 0, first_1, 0) AS start_moment_3, if(first_1 > 0 AND first_2 > 0 AND first_3 > 0, greatest(first_1, first_2), 0) AS previous_moment_3, if(first_1 > 0 AND first_2 > 0 AND first_3 > 0, greatest(first_1, first_2, first_3), 0) AS last_moment_3, if(first_1 = greatest(if(first_1 > 0, greatest(first_1), 0), if(first_1 > 0 AND first_2 > 0, greatest(first_1, first_2), 0), if(first_1 > 0 AND first_2 > 0 AND first_3 > 0, greatest(first_1, first_2, first_3), 0)), session_1, if(first_2 = greatest(if(first_1 > 0, greatest(first_1), 0), if(first_1 > 0 AND first_2 > 0, greatest(first_1, first_2), 0), if(first_1 > 0 AND first_2 > 0 AND first_3 > 0, greatest(first_1, first_2, first_3), 0)), session_2, if(first_3 = greatest(if(first_1 > 0, greatest(first_1), 0), if(first_1 > 0 AND first_2 > 0, greatest(first_1, first_2), 0), if(first_1 > 0 AND first_2 > 0 AND first_3 > 0, greatest(first_1, first_2, first_3), 0)), session_3, NULL))) AS session
FROM
(
    SELECT who, coalesce(min(if(is_1 = 1, moment, NULL)), 0) AS first_1, coalesce(min(if(is_2 = 1, moment, NULL)), 0) AS first_2, coalesce(min(if(is_3 = 1, moment, NULL)), 0) AS first_3, argMinIf(session, moment, is_1 = 1) AS session_1, argMinIf(session, moment, is_2 = 1) AS session_2, argMinIf(session, moment, is_3 = 1) AS session_3
    FROM matched
    GROUP BY who
) AS done
),
valued AS
(
SELECT u.*, if(v.referrer = '', 'Direct', v.referrer) AS value
FROM sessions AS v
INNER JOIN users AS u
    ON u.session = v.session AND u.who = bitXor(v.visitor, toUInt64(indexOf(CAST($projects AS VARCHAR[]), v.project_id)))
WHERE v.project_id IN CAST($projects AS VARCHAR[]) AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($funnel_to AS DATE)
),
counts AS
(
SELECT breakdown, step, count() AS n_users, (medianExactLow(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(previous_moment, 1048576))) + medianExactHigh(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(previous_moment, 1048576)))) / 2000 AS from_previous, (medianExactLow(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(start_moment, 1048576))) + medianExactHigh(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(start_moment, 1048576)))) / 2000 AS from_start
FROM
(
    SELECT if(place <= CAST($groups AS UINTEGER), value, 'Others') AS breakdown, step, [start_moment_1, start_moment_2, start_moment_3][step] AS start_moment, [previous_moment_1, previous_moment_2, previous_moment_3][step] AS previous_moment, [last_moment_1, last_moment_2, last_moment_3][step] AS last_moment
    FROM
    (
        SELECT *, arrayJoin([1, 2, 3]) AS step
        FROM
        (
            SELECT *, dense_rank() OVER (ORDER BY n_of_value DESC, value) AS place
            FROM (SELECT *, count() OVER (PARTITION BY value) AS n_of_value FROM valued) AS sized
        ) AS placed
    ) AS each
) AS every
WHERE last_moment > 0
GROUP BY breakdown, step
)
SELECT breakdown, step, n_users, from_previous, from_start
FROM counts
ORDER BY breakdown, step
-- first_day, funnel_to, groups, projects, scope_first_days, scope_projects, step1_type, step2_0, step2_0_key, step2_event, step2_type, step3_type, types
