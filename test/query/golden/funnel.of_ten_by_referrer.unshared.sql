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
    if(e.type = CAST($step1_type AS VARCHAR), if(e.event = CAST($step1_event AS VARCHAR), 1, 0), 0) AS is_1,
    if(e.type = CAST($step2_type AS VARCHAR), if(e.event = CAST($step2_event AS VARCHAR), 1, 0), 0) AS is_2,
    if(e.type = CAST($step3_type AS VARCHAR), if(e.event = CAST($step3_event AS VARCHAR), 1, 0), 0) AS is_3,
    if(e.type = CAST($step4_type AS VARCHAR), if(e.event = CAST($step4_event AS VARCHAR), 1, 0), 0) AS is_4,
    if(e.type = CAST($step5_type AS VARCHAR), if(e.event = CAST($step5_event AS VARCHAR), 1, 0), 0) AS is_5,
    if(e.type = CAST($step6_type AS VARCHAR), if(e.event = CAST($step6_event AS VARCHAR), 1, 0), 0) AS is_6,
    if(e.type = CAST($step7_type AS VARCHAR), if(e.event = CAST($step7_event AS VARCHAR), 1, 0), 0) AS is_7,
    if(e.type = CAST($step8_type AS VARCHAR), if(e.event = CAST($step8_event AS VARCHAR), 1, 0), 0) AS is_8,
    if(e.type = CAST($step9_type AS VARCHAR), if(e.event = CAST($step9_event AS VARCHAR), 1, 0), 0) AS is_9,
    if(e.type = CAST($step10_type AS VARCHAR), if(e.event = CAST($step10_event AS VARCHAR), 1, 0), 0) AS is_10
FROM events AS e
INNER JOIN scope AS s ON s.project_id = e.project_id
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($funnel_to AS DATE)
    AND e.day >= s.first_day
    AND e.type IN CAST($types AS VARCHAR[])
    AND 1 = 1
),
chains_1 AS
(
SELECT who, moment, session, is_1, is_2, is_3, is_4, is_5, is_6, is_7, is_8, is_9, is_10, start_1
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
chains_4 AS
(
SELECT
    *,
    if(is_4 = 1,
        coalesce(max(start_3)
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
        toUInt64(0)) AS start_4
FROM chains_3
),
chains_5 AS
(
SELECT
    *,
    if(is_5 = 1,
        coalesce(max(start_4)
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
        toUInt64(0)) AS start_5
FROM chains_4
),
chains_6 AS
(
SELECT
    *,
    if(is_6 = 1,
        coalesce(max(start_5)
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
        toUInt64(0)) AS start_6
FROM chains_5
),
chains_7 AS
(
SELECT
    *,
    if(is_7 = 1,
        coalesce(max(start_6)
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
        toUInt64(0)) AS start_7
FROM chains_6
),
chains_8 AS
(
SELECT
    *,
    if(is_8 = 1,
        coalesce(max(start_7)
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
        toUInt64(0)) AS start_8
FROM chains_7
),
chains_9 AS
(
SELECT
    *,
    if(is_9 = 1,
        coalesce(max(start_8)
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
        toUInt64(0)) AS start_9
FROM chains_8
),
chains_10 AS
(
SELECT
    *,
    if(is_10 = 1,
        coalesce(max(start_9)
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
        toUInt64(0)) AS start_10
FROM chains_9
),
ends AS
(
SELECT *
FROM
(
    SELECT *, coalesce(min(if(start_1 > 0 AND intDiv(moment, 1048576) - intDiv(start_1, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_1, coalesce(min(if(start_2 > 0 AND intDiv(moment, 1048576) - intDiv(start_2, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_2, coalesce(min(if(start_3 > 0 AND intDiv(moment, 1048576) - intDiv(start_3, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_3, coalesce(min(if(start_4 > 0 AND intDiv(moment, 1048576) - intDiv(start_4, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_4, coalesce(min(if(start_5 > 0 AND intDiv(moment, 1048576) - intDiv(start_5, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_5, coalesce(min(if(start_6 > 0 AND intDiv(moment, 1048576) - intDiv(start_6, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_6, coalesce(min(if(start_7 > 0 AND intDiv(moment, 1048576) - intDiv(start_7, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_7, coalesce(min(if(start_8 > 0 AND intDiv(moment, 1048576) - intDiv(start_8, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_8, coalesce(min(if(start_9 > 0 AND intDiv(moment, 1048576) - intDiv(start_9, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_9, coalesce(min(if(start_10 > 0 AND intDiv(moment, 1048576) - intDiv(start_10, 1048576) <= CAST($funnel_ms AS UBIGINT), moment, NULL)) OVER (PARTITION BY who), 0) AS end_10
    FROM chains_10
) AS every
WHERE moment = end_1 OR end_2 > 0
),
chosen AS
(
SELECT *, coalesce(min(if(start_1 > 0 AND end_2 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_2, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_2, coalesce(min(if(start_1 > 0 AND end_3 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_3, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_3, coalesce(min(if(start_1 > 0 AND end_4 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_4, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_4, coalesce(min(if(start_1 > 0 AND end_5 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_5, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_5, coalesce(min(if(start_1 > 0 AND end_6 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_6, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_6, coalesce(min(if(start_1 > 0 AND end_7 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_7, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_7, coalesce(min(if(start_1 > 0 AND end_8 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_8, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_8, coalesce(min(if(start_1 > 0 AND end_9 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_9, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_9, coalesce(min(if(start_1 > 0 AND end_10 > 0 AND intDiv(moment, 1048576) + CAST($funnel_ms AS UBIGINT) >= intDiv(end_10, 1048576), moment, NULL)) OVER (PARTITION BY who), 0) AS from_10
FROM ends
),
users AS
(
SELECT who, max(end_1) AS start_moment_1, max(end_1) AS previous_moment_1, max(end_1) AS last_moment_1, max(from_2) AS start_moment_2, max(from_2) AS previous_moment_2, max(end_2) AS last_moment_2, max(from_3) AS start_moment_3, coalesce(min(if(from_3 > 0 AND start_2 >= from_3, moment, NULL)), 0) AS previous_moment_3, max(end_3) AS last_moment_3, max(from_4) AS start_moment_4, coalesce(min(if(from_4 > 0 AND start_3 >= from_4, moment, NULL)), 0) AS previous_moment_4, max(end_4) AS last_moment_4, max(from_5) AS start_moment_5, coalesce(min(if(from_5 > 0 AND start_4 >= from_5, moment, NULL)), 0) AS previous_moment_5, max(end_5) AS last_moment_5, max(from_6) AS start_moment_6, coalesce(min(if(from_6 > 0 AND start_5 >= from_6, moment, NULL)), 0) AS previous_moment_6, max(end_6) AS last_moment_6, max(from_7) AS start_moment_7, coalesce(min(if(from_7 > 0 AND start_6 >= from_7, moment, NULL)), 0) AS previous_moment_7, max(end_7) AS last_moment_7, max(from_8) AS start_moment_8, coalesce(min(if(from_8 > 0 AND start_7 >= from_8, moment, NULL)), 0) AS previous_moment_8, max(end_8) AS last_moment_8, max(from_9) AS start_moment_9, coalesce(min(if(from_9 > 0 AND start_8 >= from_9, moment, NULL)), 0) AS previous_moment_9, max(end_9) AS last_moment_9, max(from_10) AS start_moment_10, coalesce(min(if(from_10 > 0 AND start_9 >= from_10, moment, NULL)), 0) AS previous_moment_10, max(end_10) AS last_moment_10, max(if(moment = end_1, session, NULL)) AS session
FROM chosen
GROUP BY who
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
    SELECT if(place <= CAST($groups AS UINTEGER), value, 'Others') AS breakdown, step, [start_moment_1, start_moment_2, start_moment_3, start_moment_4, start_moment_5, start_moment_6, start_moment_7, start_moment_8, start_moment_9, start_moment_10][step] AS start_moment, [previous_moment_1, previous_moment_2, previous_moment_3, previous_moment_4, previous_moment_5, previous_moment_6, previous_moment_7, previous_moment_8, previous_moment_9, previous_moment_10][step] AS previous_moment, [last_moment_1, last_moment_2, last_moment_3, last_moment_4, last_moment_5, last_moment_6, last_moment_7, last_moment_8, last_moment_9, last_moment_10][step] AS last_moment
    FROM
    (
        SELECT *, arrayJoin([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) AS step
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
-- first_day, funnel_ms, funnel_to, groups, projects, scope_first_days, scope_projects, starts_before, step10_event, step10_type, step1_event, step1_type, step2_event, step2_type, step3_event, step3_type, step4_event, step4_type, step5_event, step5_type, step6_event, step6_type, step7_event, step7_type, step8_event, step8_type, step9_event, step9_type, types
