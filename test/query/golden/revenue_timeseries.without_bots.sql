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
counts AS
(
SELECT
    date,
    event,
    page_path,
    referrer,
    utm_source,
    toFloat64(sum(revenue_amount)) / 1e9 AS sum_revenue,
    toFloat64(sum(volume_amount)) / 1e9 AS sum_volume
FROM
(
    SELECT
        e.day AS date,
        e.event AS event,
        multiIf(e.pathname != '', e.pathname, (e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), '', s.pathname) AS page_path,
        if(if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.referrer, s.referrer) = '', 'Direct', if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.referrer, s.referrer)) AS referrer,
        if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.utm_source, s.utm_source) AS utm_source,
        toInt128(floor(e.revenue * 1e9 + 0.5)) AS revenue_amount,
        toInt128(floor(e.volume * 1e9 + 0.5)) AS volume_amount
    FROM sessions AS s
    INNER JOIN scope AS p ON p.project_id = s.project_id
    INNER JOIN
    (
        SELECT e.*
        FROM events AS e
        WHERE e.project_id IN CAST($projects AS VARCHAR[])
            AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
            AND e.address = CAST($address AS VARCHAR)
            AND (e.revenue != 0 OR e.volume != 0)
            AND 1 = 1
    ) AS e ON e.project_id = s.project_id AND e.day = s.day AND e.session = s.session
    WHERE s.project_id IN CAST($projects AS VARCHAR[])
        AND s.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
        AND s.day >= p.first_day
        AND s.is_first
        AND if(e.device != '', e.device, s.device) != 'bot'
        AND 1 = 1
) AS paid
GROUP BY date, event, page_path, referrer, utm_source
)
SELECT date, event, page_path, referrer, utm_source, sum_revenue, sum_volume, count() OVER () AS rows_before_limit
FROM counts
ORDER BY date, event, page_path, referrer, utm_source
LIMIT CAST($limit AS UINTEGER) OFFSET CAST($offset AS UINTEGER)
-- address, first_day, last_day, limit, offset, projects, scope_first_days, scope_projects, scope_without_bots
