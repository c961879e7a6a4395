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
chosen AS
(
SELECT
    v.project_id AS project_id,
    v.day AS day,
    v.session AS session,
    v.visitor AS visitor,
    '' AS value,
    v.weight AS weight,
    if(v.is_first, v.weight, 0) AS visits,
    if(v.is_first AND v.is_bounce, v.weight, 0) AS bounces,
    if(v.is_first, v.weight * v.active_ms, 0) AS active_ms,
    v.weight * v.hits AS hits,
    v.weight * v.transactions AS transactions,
    v.weight * v.revenue AS revenue,
    v.weight * v.volume AS volume,
    v.addresses AS addresses,
    v.entry_page AS entry_page,
    toUnixTimestamp64Milli(v.started_at) AS started_ms
FROM open_sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND (v.project_id NOT IN CAST($without_bots AS VARCHAR[]) OR v.device != 'bot')
    AND 1 = 1
    AND v.day >= s.dirty_from
),
clean AS
(
SELECT
    r.project_id AS project_id,
    '' AS value,
    toInt64(r.day - CAST($first_day AS DATE)) AS bucket,
    r.sessions AS n_sessions,
    r.sessions AS n_entries,
    r.bounces AS n_bounces,
    r.active_ms AS n_active_ms,
    r.hits AS n_pageviews,
    r.transactions AS n_transactions,
    r.revenue AS n_revenue,
    r.volume AS n_volume,
    if(1 = 1, r.visitors, 0) AS n_visitors
FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.project_id IN CAST($projects AS VARCHAR[])
    AND r.dimension = 'total'
    AND r.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND r.day >= s.first_day
    AND (r.day < s.dirty_from OR r.day = s.running_day)
),
clean_wallets AS
(
SELECT r.project_id AS project_id, '' AS value, toInt64(r.day - CAST($first_day AS DATE)) AS bucket, r.visitors AS n_wallets
FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.project_id IN CAST($projects AS VARCHAR[])
    AND r.dimension = 'wallet'
    AND r.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND r.day >= s.first_day
    AND (r.day < s.dirty_from OR r.day = s.running_day)
    AND 1 = 1
),
of_sessions AS
(
SELECT
    v.project_id AS project_id,
    v.value AS value,
    toInt64(v.day - CAST($first_day AS DATE)) AS bucket,
    sum(v.visits) AS n_sessions,
    sum(v.visits) AS n_entries,
    sum(v.bounces) AS n_bounces,
    sum(v.active_ms) AS n_active_ms,
    sum(v.hits) AS n_pageviews,
    sum(v.transactions) AS n_transactions,
    sum(v.revenue) AS n_revenue,
    sum(v.volume) AS n_volume,
    uniqExact(v.visitor) AS n_visitors
FROM chosen AS v
GROUP BY v.project_id, v.value, bucket
),
open_visitors AS
(
SELECT project_id, value, bucket, toInt64(sum(is_now - is_rolled_up)) AS n_visitors
FROM
(
    SELECT
        project_id,
        '' AS value,
        bucket,
        visitor,
        max(if(weight < 0, 0, 1)) AS is_now,
        max(if(weight > 0, 0, 1)) AS is_rolled_up
    FROM
    (
        SELECT v.project_id AS project_id, toInt64(v.day - CAST($first_day AS DATE)) AS bucket, v.visitor AS visitor, v.weight AS weight
        FROM chosen AS v
        UNION ALL
        SELECT v.project_id AS project_id, toInt64(v.day - CAST($first_day AS DATE)) AS bucket, v.visitor AS visitor, 0 AS weight
        FROM sessions AS v
        INNER JOIN scope AS s ON s.project_id = v.project_id
        WHERE v.project_id IN CAST($projects AS VARCHAR[])
            AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
            AND v.day >= s.first_day
            AND v.day = s.running_day AND v.received_to <= s.received_to
            AND (v.project_id NOT IN CAST($without_bots AS VARCHAR[]) OR v.device != 'bot')
            AND v.visitor IN (SELECT visitor FROM chosen WHERE weight != 0)
    ) AS visits
    GROUP BY project_id, bucket, visitor
) AS visitors
GROUP BY project_id, value, bucket
),
listed_wallets AS
(
SELECT v.project_id AS project_id, v.day AS day, arrayJoin(v.addresses) AS address, v.weight AS weight
FROM chosen AS v
WHERE notEmpty(v.addresses)
),
open_wallets AS
(
SELECT project_id, value, bucket, toInt64(sum(is_now - is_rolled_up)) AS n_wallets
FROM
(
    SELECT
        project_id,
        '' AS value,
        bucket,
        address,
        max(if(weight < 0, 0, 1)) AS is_now,
        max(if(weight > 0, 0, 1)) AS is_rolled_up
    FROM
    (
        SELECT v.project_id AS project_id, toInt64(v.day - CAST($first_day AS DATE)) AS bucket, v.address AS address, v.weight AS weight
        FROM listed_wallets AS v
        UNION ALL
        SELECT project_id, bucket, address, weight
        FROM
        (
            SELECT
                v.project_id AS project_id,
                toInt64(v.day - CAST($first_day AS DATE)) AS bucket,
                arrayJoin(v.addresses) AS address,
                0 AS weight
            FROM sessions AS v
            INNER JOIN scope AS s ON s.project_id = v.project_id
            WHERE v.project_id IN CAST($projects AS VARCHAR[])
                AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
                AND v.day >= s.first_day
                AND v.day = s.running_day AND v.received_to <= s.received_to
                AND (v.project_id NOT IN CAST($without_bots AS VARCHAR[]) OR v.device != 'bot')
                AND notEmpty(v.addresses)
        ) AS listed
        WHERE address IN (SELECT address FROM listed_wallets)
    ) AS visits
    GROUP BY project_id, bucket, address
) AS wallets
GROUP BY project_id, value, bucket
),
totals AS
(
SELECT project_id, value, bucket, sum(n_sessions) AS sessions, sum(n_entries) AS entries, sum(n_bounces) AS bounces, sum(n_active_ms) AS active_ms, sum(n_pageviews) AS pageviews, sum(n_transactions) AS transactions, toFloat64(sum(n_revenue)) / 1e9 AS revenue, toFloat64(sum(n_volume)) / 1e9 AS volume, sum(n_visitors) AS visitors, sum(n_wallets) AS wallets
FROM
(
    SELECT project_id, value, bucket, toInt64(n_sessions) AS n_sessions, toInt64(n_entries) AS n_entries, toInt64(n_bounces) AS n_bounces, toInt64(n_active_ms) AS n_active_ms, toInt64(n_pageviews) AS n_pageviews, toInt64(n_transactions) AS n_transactions, toInt128(n_revenue) AS n_revenue, toInt128(n_volume) AS n_volume, toInt64(n_visitors) AS n_visitors, toInt64(0) AS n_wallets
    FROM clean
    UNION ALL
    SELECT project_id, value, bucket, toInt64(0) AS n_sessions, toInt64(0) AS n_entries, toInt64(0) AS n_bounces, toInt64(0) AS n_active_ms, toInt64(0) AS n_pageviews, toInt64(0) AS n_transactions, toInt128(0) AS n_revenue, toInt128(0) AS n_volume, toInt64(0) AS n_visitors, toInt64(n_wallets) AS n_wallets
    FROM clean_wallets
    UNION ALL
    SELECT project_id, value, bucket, toInt64(n_sessions) AS n_sessions, toInt64(n_entries) AS n_entries, toInt64(n_bounces) AS n_bounces, toInt64(n_active_ms) AS n_active_ms, toInt64(n_pageviews) AS n_pageviews, toInt64(n_transactions) AS n_transactions, toInt128(n_revenue) AS n_revenue, toInt128(n_volume) AS n_volume, toInt64(0) AS n_visitors, toInt64(0) AS n_wallets
    FROM of_sessions
    UNION ALL
    SELECT project_id, value, bucket, toInt64(0) AS n_sessions, toInt64(0) AS n_entries, toInt64(0) AS n_bounces, toInt64(0) AS n_active_ms, toInt64(0) AS n_pageviews, toInt64(0) AS n_transactions, toInt128(0) AS n_revenue, toInt128(0) AS n_volume, toInt64(n_visitors) AS n_visitors, toInt64(0) AS n_wallets
    FROM open_visitors
    UNION ALL
    SELECT project_id, value, bucket, toInt64(0) AS n_sessions, toInt64(0) AS n_entries, toInt64(0) AS n_bounces, toInt64(0) AS n_active_ms, toInt64(0) AS n_pageviews, toInt64(0) AS n_transactions, toInt128(0) AS n_revenue, toInt128(0) AS n_volume, toInt64(0) AS n_visitors, toInt64(n_wallets) AS n_wallets
    FROM open_wallets
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
-- first_day, last_day, projects, scope_first_day, scope_first_days, scope_last_day, scope_projects, scope_without_bots, without_bots
