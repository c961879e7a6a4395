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
open_sessions AS
(
SELECT v.project_id AS project_id, v.day AS day, v.session AS session, v.visitor AS visitor, v.is_first AS is_first, v.started_at AS started_at, v.active_ms AS active_ms, v.is_bounce AS is_bounce, v.entry_origin AS entry_origin, v.entry_page AS entry_page, v.exit_origin AS exit_origin, v.exit_page AS exit_page, v.hits AS hits, v.events AS events, v.transactions AS transactions, v.chains AS chains, v.rdns_names AS rdns_names, v.addresses AS addresses, v.pages AS pages, v.revenue AS revenue, v.volume AS volume, v.referrer AS referrer, v.referrer_url AS referrer_url, v.ref AS ref, v.utm_source AS utm_source, v.utm_medium AS utm_medium, v.utm_campaign AS utm_campaign, v.utm_term AS utm_term, v.utm_content AS utm_content, v.origin AS origin, v.device AS device, v.browser AS browser, v.os AS os, v.channel AS channel, v.paid_source AS paid_source, v.location AS location, 1 AS weight FROM sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN CAST($scope_projects AS VARCHAR[])
    AND v.received_to > o.received_to AND v.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
UNION ALL
SELECT v.project_id AS project_id, v.day AS day, v.session AS session, v.visitor AS visitor, v.is_first AS is_first, v.started_at AS started_at, v.active_ms AS active_ms, v.is_bounce AS is_bounce, v.entry_origin AS entry_origin, v.entry_page AS entry_page, v.exit_origin AS exit_origin, v.exit_page AS exit_page, v.hits AS hits, v.events AS events, v.transactions AS transactions, v.chains AS chains, v.rdns_names AS rdns_names, v.addresses AS addresses, v.pages AS pages, v.revenue AS revenue, v.volume AS volume, v.referrer AS referrer, v.referrer_url AS referrer_url, v.ref AS ref, v.utm_source AS utm_source, v.utm_medium AS utm_medium, v.utm_campaign AS utm_campaign, v.utm_term AS utm_term, v.utm_content AS utm_content, v.origin AS origin, v.device AS device, v.browser AS browser, v.os AS os, v.channel AS channel, v.paid_source AS paid_source, v.location AS location, 1 AS weight FROM sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN CAST($scope_projects AS VARCHAR[])
    AND v.received_to <= o.received_to AND v.day > o.running_day
    AND v.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
UNION ALL
SELECT v.project_id AS project_id, v.day AS day, v.session AS session, v.visitor AS visitor, v.is_first AS is_first, v.started_at AS started_at, v.active_ms AS active_ms, v.is_bounce AS is_bounce, v.entry_origin AS entry_origin, v.entry_page AS entry_page, v.exit_origin AS exit_origin, v.exit_page AS exit_page, v.hits AS hits, v.events AS events, v.transactions AS transactions, v.chains AS chains, v.rdns_names AS rdns_names, v.addresses AS addresses, v.pages AS pages, v.revenue AS revenue, v.volume AS volume, v.referrer AS referrer, v.referrer_url AS referrer_url, v.ref AS ref, v.utm_source AS utm_source, v.utm_medium AS utm_medium, v.utm_campaign AS utm_campaign, v.utm_term AS utm_term, v.utm_content AS utm_content, v.origin AS origin, v.device AS device, v.browser AS browser, v.os AS os, v.channel AS channel, v.paid_source AS paid_source, v.location AS location, -1 AS weight FROM replaced_sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN CAST($scope_projects AS VARCHAR[]) AND v.day = o.running_day AND v.received_to <= o.received_to
),
clean_total AS
(
SELECT r.project_id AS project_id, '' AS value, toInt64(r.day - CAST($first_day AS DATE)) AS bucket, r.revenue AS n_revenue, r.volume AS n_volume
FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.project_id IN CAST($projects AS VARCHAR[])
    AND r.dimension = 'total'
    AND r.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND r.day >= s.first_day
    AND (r.day < s.dirty_from OR r.day = s.running_day)
),
dirty_total AS
(
SELECT v.project_id AS project_id, '' AS value, toInt64(v.day - CAST($first_day AS DATE)) AS bucket, v.weight * v.revenue AS n_revenue, v.weight * v.volume AS n_volume
FROM open_sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND v.day >= s.dirty_from
),
totals AS
(
SELECT
    project_id,
    value,
    bucket,
    sum(n_revenue) AS revenue_amount,
    sum(n_volume) AS volume_amount,
    toFloat64(sum(n_revenue)) / 1e9 AS revenue,
    toFloat64(sum(n_volume)) / 1e9 AS volume
FROM
(
    SELECT project_id, value, bucket, n_revenue, n_volume FROM clean_total
    UNION ALL
    SELECT project_id, value, bucket, n_revenue, n_volume FROM dirty_total
) AS every
GROUP BY project_id, value, bucket
),
counts AS
(
SELECT t.*, 1 AS place
FROM totals AS t
)
SELECT project_id, value, bucket, place, revenue, volume
FROM counts
ORDER BY project_id, place, bucket
-- first_day, last_day, projects, scope_first_day, scope_first_days, scope_last_day, scope_projects
