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
matching AS
(
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND (position(lowerUTF8(CAST($e0 AS VARCHAR)) IN lowerUTF8(e.pathname)) > 0)
),
chosen AS
(
SELECT
    v.project_id AS project_id,
    v.day AS day,
    v.session AS session,
    v.visitor AS visitor,
    '' AS value,
    1 AS weight,
    if(v.is_first, 1, 0) AS visits,
    if(v.is_first AND v.is_bounce, 1, 0) AS bounces,
    if(v.is_first, 1 * v.active_ms, 0) AS active_ms,
    1 * v.hits AS hits,
    1 * v.transactions AS transactions,
    1 * v.revenue AS revenue,
    1 * v.volume AS volume,
    v.addresses AS addresses,
    v.entry_page AS entry_page,
    toUnixTimestamp64Milli(v.started_at) AS started_ms
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND 1 = 1
    AND (v.device = CAST($s0 AS VARCHAR))
    AND (v.project_id, v.session) IN (SELECT project_id, session FROM matching)
),
of_visits AS
(
SELECT
    v.project_id AS project_id,
    v.value AS value,
    toInt64(v.day - CAST($first_day AS DATE)) AS bucket,
    sum(v.visits) AS n_sessions,
    uniqExact(v.visitor) AS n_visitors
FROM chosen AS v
GROUP BY v.project_id, v.value, bucket
),
of_entries AS
(
SELECT
    v.project_id AS project_id,
    v.value AS value,
    toInt64(v.day - CAST($first_day AS DATE)) AS bucket,
    sum(v.visits) AS n_entries,
    sum(v.bounces) AS n_bounces,
    sum(v.active_ms) AS n_active_ms
FROM chosen AS v
WHERE v.visits != 0 AND (position(lowerUTF8(CAST($p0 AS VARCHAR)) IN lowerUTF8(v.entry_page)) > 0) AND (v.project_id, v.session) IN (SELECT project_id, session FROM chosen WHERE hits > 0)
GROUP BY v.project_id, v.value, bucket
),
of_events AS
(
SELECT
    c.project_id AS project_id,
    c.value AS value,
    toInt64(e.day - CAST($first_day AS DATE)) AS bucket,
    sum(if((position(lowerUTF8(CAST($p0 AS VARCHAR)) IN lowerUTF8(e.pathname)) > 0) AND e.type = 'page', 1, 0)) AS n_pageviews,
    sum(if((position(lowerUTF8(CAST($p0 AS VARCHAR)) IN lowerUTF8(e.pathname)) > 0), if(e.type = 'transaction' AND e.status NOT IN ('started', 'confirmed', 'reverted', 'rejected'), 1, 0), 0)) AS n_transactions,
    sum(if((position(lowerUTF8(CAST($p0 AS VARCHAR)) IN lowerUTF8(e.pathname)) > 0), toInt128(floor(e.revenue * 1e9 + 0.5)), toInt128(0))) AS n_revenue,
    sum(if((position(lowerUTF8(CAST($p0 AS VARCHAR)) IN lowerUTF8(e.pathname)) > 0), toInt128(floor(e.volume * 1e9 + 0.5)), toInt128(0))) AS n_volume,
    uniqExact(e.session) AS n_sessions,
    uniqExact(e.visitor) AS n_visitors,
    uniqExact(if(e.address = '', NULL, e.address)) AS n_wallets
FROM events AS e
INNER JOIN (SELECT v.project_id AS project_id, v.session AS session, v.value AS value FROM chosen AS v WHERE v.visits = 1) AS c
    ON c.project_id = e.project_id AND c.session = e.session
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND (position(lowerUTF8(CAST($p0 AS VARCHAR)) IN lowerUTF8(e.pathname)) > 0)
GROUP BY c.project_id, c.value, bucket
),
of_wallets AS
(
SELECT project_id, value, bucket, uniqExact(address) AS n_wallets
FROM
(
    SELECT
        v.project_id AS project_id,
        v.value AS value,
        toInt64(v.day - CAST($first_day AS DATE)) AS bucket,
        arrayJoin(v.addresses) AS address
    FROM chosen AS v
    WHERE notEmpty(v.addresses)
) AS listed
GROUP BY project_id, value, bucket
),
totals AS
(
SELECT project_id, value, bucket, sum(n_sessions) AS sessions, sum(n_entries) AS entries, sum(n_bounces) AS bounces, sum(n_active_ms) AS active_ms, sum(n_pageviews) AS pageviews, sum(n_transactions) AS transactions, toFloat64(sum(n_revenue)) / 1e9 AS revenue, toFloat64(sum(n_volume)) / 1e9 AS volume, sum(n_visitors) AS visitors, sum(n_wallets) AS wallets
FROM
(
    SELECT project_id, value, bucket, toInt64(n_sessions) AS n_sessions, toInt64(0) AS n_entries, toInt64(0) AS n_bounces, toInt64(0) AS n_active_ms, toInt64(0) AS n_pageviews, toInt64(0) AS n_transactions, toInt128(0) AS n_revenue, toInt128(0) AS n_volume, toInt64(n_visitors) AS n_visitors, toInt64(0) AS n_wallets
    FROM of_visits
    UNION ALL
    SELECT project_id, value, bucket, toInt64(0) AS n_sessions, toInt64(n_entries) AS n_entries, toInt64(n_bounces) AS n_bounces, toInt64(n_active_ms) AS n_active_ms, toInt64(0) AS n_pageviews, toInt64(0) AS n_transactions, toInt128(0) AS n_revenue, toInt128(0) AS n_volume, toInt64(0) AS n_visitors, toInt64(0) AS n_wallets
    FROM of_entries
    UNION ALL
    SELECT project_id, value, bucket, toInt64(0) AS n_sessions, toInt64(0) AS n_entries, toInt64(0) AS n_bounces, toInt64(0) AS n_active_ms, toInt64(n_pageviews) AS n_pageviews, toInt64(n_transactions) AS n_transactions, toInt128(n_revenue) AS n_revenue, toInt128(n_volume) AS n_volume, toInt64(0) AS n_visitors, toInt64(0) AS n_wallets
    FROM of_events
    UNION ALL
    SELECT project_id, value, bucket, toInt64(0) AS n_sessions, toInt64(0) AS n_entries, toInt64(0) AS n_bounces, toInt64(0) AS n_active_ms, toInt64(0) AS n_pageviews, toInt64(0) AS n_transactions, toInt128(0) AS n_revenue, toInt128(0) AS n_volume, toInt64(0) AS n_visitors, toInt64(n_wallets) AS n_wallets
    FROM of_wallets
) AS every
GROUP BY project_id, value, bucket
),
counts AS
(
SELECT t.*, 1 AS place
FROM totals AS t
)
SELECT project_id, value, bucket, place, sessions, entries, bounces, active_ms, pageviews, transactions, revenue, volume, visitors, wallets
FROM counts
ORDER BY project_id, place, bucket
-- e0, first_day, last_day, p0, projects, s0, scope_first_days, scope_projects
