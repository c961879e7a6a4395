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
following_3 AS
(
SELECT who, moment, next_moment
FROM
(
    SELECT
        who,
        moment,
        is_3 AS is_this,
        min(if(is_4 = 1, moment, NULL))
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_moment
    FROM matched
    WHERE (is_3 = 1 OR is_4 = 1)
        AND who IN (SELECT who FROM matched WHERE is_4 = 1)
) AS pairs
WHERE is_this = 1
    AND next_moment IS NOT NULL
    AND intDiv(next_moment, 1048576) - intDiv(moment, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
following_4 AS
(
SELECT who, moment, next_moment
FROM
(
    SELECT
        who,
        moment,
        is_4 AS is_this,
        min(if(is_5 = 1, moment, NULL))
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_moment
    FROM matched
    WHERE (is_4 = 1 OR is_5 = 1)
        AND who IN (SELECT who FROM matched WHERE is_5 = 1)
) AS pairs
WHERE is_this = 1
    AND next_moment IS NOT NULL
    AND intDiv(next_moment, 1048576) - intDiv(moment, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
following_5 AS
(
SELECT who, moment, next_moment
FROM
(
    SELECT
        who,
        moment,
        is_5 AS is_this,
        min(if(is_6 = 1, moment, NULL))
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_moment
    FROM matched
    WHERE (is_5 = 1 OR is_6 = 1)
        AND who IN (SELECT who FROM matched WHERE is_6 = 1)
) AS pairs
WHERE is_this = 1
    AND next_moment IS NOT NULL
    AND intDiv(next_moment, 1048576) - intDiv(moment, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
following_6 AS
(
SELECT who, moment, next_moment
FROM
(
    SELECT
        who,
        moment,
        is_6 AS is_this,
        min(if(is_7 = 1, moment, NULL))
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_moment
    FROM matched
    WHERE (is_6 = 1 OR is_7 = 1)
        AND who IN (SELECT who FROM matched WHERE is_7 = 1)
) AS pairs
WHERE is_this = 1
    AND next_moment IS NOT NULL
    AND intDiv(next_moment, 1048576) - intDiv(moment, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
following_7 AS
(
SELECT who, moment, next_moment
FROM
(
    SELECT
        who,
        moment,
        is_7 AS is_this,
        min(if(is_8 = 1, moment, NULL))
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_moment
    FROM matched
    WHERE (is_7 = 1 OR is_8 = 1)
        AND who IN (SELECT who FROM matched WHERE is_8 = 1)
) AS pairs
WHERE is_this = 1
    AND next_moment IS NOT NULL
    AND intDiv(next_moment, 1048576) - intDiv(moment, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
following_8 AS
(
SELECT who, moment, next_moment
FROM
(
    SELECT
        who,
        moment,
        is_8 AS is_this,
        min(if(is_9 = 1, moment, NULL))
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_moment
    FROM matched
    WHERE (is_8 = 1 OR is_9 = 1)
        AND who IN (SELECT who FROM matched WHERE is_9 = 1)
) AS pairs
WHERE is_this = 1
    AND next_moment IS NOT NULL
    AND intDiv(next_moment, 1048576) - intDiv(moment, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
following_9 AS
(
SELECT who, moment, next_moment
FROM
(
    SELECT
        who,
        moment,
        is_9 AS is_this,
        min(if(is_10 = 1, moment, NULL))
            OVER (PARTITION BY who ORDER BY moment ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_moment
    FROM matched
    WHERE (is_9 = 1 OR is_10 = 1)
        AND who IN (SELECT who FROM matched WHERE is_10 = 1)
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
chains_4 AS
(
SELECT c.who AS who, c.begun AS begun, c.reached AS before_last, f.next_moment AS reached
FROM chains_3 AS c
INNER JOIN following_3 AS f ON f.who = c.who AND f.moment = c.reached
WHERE intDiv(f.next_moment, 1048576) - intDiv(c.begun, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
chains_5 AS
(
SELECT c.who AS who, c.begun AS begun, c.reached AS before_last, f.next_moment AS reached
FROM chains_4 AS c
INNER JOIN following_4 AS f ON f.who = c.who AND f.moment = c.reached
WHERE intDiv(f.next_moment, 1048576) - intDiv(c.begun, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
chains_6 AS
(
SELECT c.who AS who, c.begun AS begun, c.reached AS before_last, f.next_moment AS reached
FROM chains_5 AS c
INNER JOIN following_5 AS f ON f.who = c.who AND f.moment = c.reached
WHERE intDiv(f.next_moment, 1048576) - intDiv(c.begun, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
chains_7 AS
(
SELECT c.who AS who, c.begun AS begun, c.reached AS before_last, f.next_moment AS reached
FROM chains_6 AS c
INNER JOIN following_6 AS f ON f.who = c.who AND f.moment = c.reached
WHERE intDiv(f.next_moment, 1048576) - intDiv(c.begun, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
chains_8 AS
(
SELECT c.who AS who, c.begun AS begun, c.reached AS before_last, f.next_moment AS reached
FROM chains_7 AS c
INNER JOIN following_7 AS f ON f.who = c.who AND f.moment = c.reached
WHERE intDiv(f.next_moment, 1048576) - intDiv(c.begun, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
chains_9 AS
(
SELECT c.who AS who, c.begun AS begun, c.reached AS before_last, f.next_moment AS reached
FROM chains_8 AS c
INNER JOIN following_8 AS f ON f.who = c.who AND f.moment = c.reached
WHERE intDiv(f.next_moment, 1048576) - intDiv(c.begun, 1048576) <= CAST($funnel_ms AS UBIGINT)
),
chains_10 AS
(
SELECT c.who AS who, c.begun AS begun, c.reached AS before_last, f.next_moment AS reached
FROM chains_9 AS c
INNER JOIN following_9 AS f ON f.who = c.who AND f.moment = c.reached
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
UNION ALL
SELECT
    who,
    4 AS step,
    min(begun) AS start_moment,
    argMin(before_last, begun) AS previous_moment,
    argMin(reached, begun) AS last_moment
FROM chains_4
GROUP BY who
UNION ALL
SELECT
    who,
    5 AS step,
    min(begun) AS start_moment,
    argMin(before_last, begun) AS previous_moment,
    argMin(reached, begun) AS last_moment
FROM chains_5
GROUP BY who
UNION ALL
SELECT
    who,
    6 AS step,
    min(begun) AS start_moment,
    argMin(before_last, begun) AS previous_moment,
    argMin(reached, begun) AS last_moment
FROM chains_6
GROUP BY who
UNION ALL
SELECT
    who,
    7 AS step,
    min(begun) AS start_moment,
    argMin(before_last, begun) AS previous_moment,
    argMin(reached, begun) AS last_moment
FROM chains_7
GROUP BY who
UNION ALL
SELECT
    who,
    8 AS step,
    min(begun) AS start_moment,
    argMin(before_last, begun) AS previous_moment,
    argMin(reached, begun) AS last_moment
FROM chains_8
GROUP BY who
UNION ALL
SELECT
    who,
    9 AS step,
    min(begun) AS start_moment,
    argMin(before_last, begun) AS previous_moment,
    argMin(reached, begun) AS last_moment
FROM chains_9
GROUP BY who
UNION ALL
SELECT
    who,
    10 AS step,
    min(begun) AS start_moment,
    argMin(before_last, begun) AS previous_moment,
    argMin(reached, begun) AS last_moment
FROM chains_10
GROUP BY who
),
touched AS
(
SELECT who, min(start_moment) AS touch_moment
FROM users
GROUP BY who
),
valued AS
(
SELECT t.who AS who, min(if(v.referrer = '', 'Direct', v.referrer)) AS value
FROM sessions AS v
INNER JOIN
(
    SELECT m.who AS who, m.session AS session
    FROM matched AS m
    INNER JOIN touched AS t ON t.who = m.who AND t.touch_moment = m.moment
) AS t ON t.session = v.session AND t.who = bitXor(v.visitor, toUInt64(indexOf(CAST($projects AS VARCHAR[]), v.project_id)))
WHERE v.project_id IN CAST($projects AS VARCHAR[]) AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($funnel_to AS DATE)
GROUP BY t.who
),
top AS
(
SELECT value
FROM valued
GROUP BY value
ORDER BY count() DESC, value
LIMIT CAST($groups AS UINTEGER)
),
counts AS
(
SELECT breakdown, step, count() AS n_users, (medianExactLow(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(previous_moment, 1048576))) + medianExactHigh(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(previous_moment, 1048576)))) / 2000 AS from_previous, (medianExactLow(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(start_moment, 1048576))) + medianExactHigh(toInt64(intDiv(last_moment, 1048576)) - toInt64(intDiv(start_moment, 1048576)))) / 2000 AS from_start
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
)
SELECT breakdown, step, n_users, from_previous, from_start
FROM counts
ORDER BY breakdown, step
-- first_day, funnel_ms, funnel_to, groups, projects, scope_first_days, scope_projects, starts_before, step10_event, step10_type, step1_event, step1_type, step2_event, step2_type, step3_event, step3_type, step4_event, step4_type, step5_event, step5_type, step6_event, step6_type, step7_event, step7_type, step8_event, step8_type, step9_event, step9_type, types
