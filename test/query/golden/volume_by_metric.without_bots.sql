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
open_events AS
(
SELECT e.day AS day, e.session AS session, e.project_id AS project_id, e.referrer AS referrer, e.ref AS ref, e.utm_source AS utm_source, e.utm_medium AS utm_medium, e.utm_campaign AS utm_campaign, e.utm_term AS utm_term, e.utm_content AS utm_content, e.device AS device, e.volume AS volume, e.acquisition AS acquisition FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN CAST($scope_projects AS VARCHAR[])
    AND e.received_at > o.received_to AND e.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
UNION ALL
SELECT e.day AS day, e.session AS session, e.project_id AS project_id, e.referrer AS referrer, e.ref AS ref, e.utm_source AS utm_source, e.utm_medium AS utm_medium, e.utm_campaign AS utm_campaign, e.utm_term AS utm_term, e.utm_content AS utm_content, e.device AS device, e.volume AS volume, e.acquisition AS acquisition FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN CAST($scope_projects AS VARCHAR[])
    AND e.received_at <= o.received_to AND e.day > o.running_day
    AND e.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
),
clean AS
(
SELECT r.project_id AS project_id, r.value AS value, r.volume AS amount
FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.project_id IN CAST($projects AS VARCHAR[])
    AND r.dimension = CAST($dimension AS VARCHAR)
    AND r.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND r.day >= s.first_day
    AND (r.day < s.dirty_from OR r.day = s.running_day)
),
dirty AS
(
SELECT e.project_id AS project_id, if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.utm_source, s.utm_source) AS value, toInt128(floor(e.volume * 1e9 + 0.5)) AS amount
FROM sessions AS s
INNER JOIN scope AS p ON p.project_id = s.project_id
INNER JOIN
(
    SELECT e.*
    FROM open_events AS e
    INNER JOIN (SELECT project_id AS scope_project, dirty_from FROM scope) AS p ON p.scope_project = e.project_id
    WHERE e.project_id IN CAST($projects AS VARCHAR[])
        AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
        AND e.day >= p.dirty_from
        AND e.volume != 0
) AS e ON e.project_id = s.project_id AND e.day = s.day AND e.session = s.session
WHERE s.project_id IN CAST($projects AS VARCHAR[])
    AND s.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND s.day >= p.first_day
    AND s.day >= p.dirty_from
    AND s.is_first
    AND if(e.device != '', e.device, s.device) != 'bot'
),
counts AS
(
SELECT project_id, value, toFloat64(sum(amount)) / 1e9 AS sum_amount
FROM
(
    SELECT project_id, value, amount FROM clean
    UNION ALL
    SELECT project_id, value, amount FROM dirty
) AS every
WHERE 1 = 1
GROUP BY project_id, value
)
SELECT project_id, value, sum_amount, count() OVER () AS rows_before_limit
FROM counts
ORDER BY sum_amount DESC, value, project_id
LIMIT CAST($limit AS UINTEGER) OFFSET CAST($offset AS UINTEGER)
-- dimension, first_day, last_day, limit, offset, projects, scope_first_day, scope_first_days, scope_last_day, scope_projects, scope_without_bots
