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
counts AS
(
SELECT project_id, value, toFloat64(sum(amount)) / 1e9 AS sum_amount
FROM
(
    SELECT e.project_id AS project_id, arrayJoin(arrayDistinct(splitByChar(',', e.builder_codes))) AS value, toInt128(floor(e.revenue * 1e9 + 0.5)) AS amount
    FROM sessions AS s
    INNER JOIN scope AS p ON p.project_id = s.project_id
    INNER JOIN
    (
        SELECT e.*
        FROM events AS e
        WHERE e.project_id IN CAST($projects AS VARCHAR[])
            AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
            AND e.revenue != 0
            AND (hasAny(splitByChar(',', e.builder_codes), CAST($e0 AS VARCHAR[])))
    ) AS e ON e.project_id = s.project_id AND e.day = s.day AND e.session = s.session
    WHERE s.project_id IN CAST($projects AS VARCHAR[])
        AND s.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
        AND s.day >= p.first_day
        AND s.is_first
        AND 1 = 1
        AND 1 = 1
) AS paid
WHERE 1 = 1
GROUP BY project_id, value
)
SELECT project_id, value, sum_amount, count() OVER () AS rows_before_limit
FROM counts
ORDER BY sum_amount DESC, value, project_id
LIMIT CAST($limit AS UINTEGER) OFFSET CAST($offset AS UINTEGER)
-- e0, first_day, last_day, limit, offset, projects, scope_first_days, scope_projects
