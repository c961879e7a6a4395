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
chosen AS
(
SELECT
    v.project_id AS project_id,
    v.session AS session,
    v.visitor AS visitor,
    v.channel AS value,
    '' AS detail,
    0 AS period,
    if(v.is_first, 1, 0) AS visits,
    v.hits AS hits,
    v.transactions AS transactions,
    v.revenue AS revenue,
    v.volume AS volume,
    v.addresses AS addresses
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND v.device != 'bot'
    AND 1 = 1
    AND 1 = 1 AND 1 = 1
),
of_sessions AS
(
SELECT
    c.project_id AS project_id,
    c.value AS value,
    c.detail AS detail,
    c.period AS period,
    toInt64(sum(c.hits)) AS n_hits,
    toInt64(sum(c.visits)) AS n_sessions,
    toInt64(uniqExact(c.visitor)) AS n_visitors,
    toInt64(sum(c.transactions)) AS n_transactions,
    toInt128(sum(c.volume)) AS n_volume,
    toInt128(sum(c.revenue)) AS n_revenue
FROM chosen AS c
GROUP BY c.project_id, c.value, c.detail, c.period
),
of_wallets AS
(
SELECT project_id, value, detail, period, toInt64(uniqExact(address)) AS n_wallets
FROM
(
    SELECT
        c.project_id AS project_id,
        c.value AS value,
        c.detail AS detail,
        c.period AS period,
        arrayJoin(c.addresses) AS address
    FROM chosen AS c
    WHERE notEmpty(c.addresses)
) AS each_address
GROUP BY project_id, value, detail, period
),
of_transacting AS
(
SELECT
    c.project_id AS project_id,
    c.value AS value,
    c.detail AS detail,
    c.period AS period,
    toInt64(uniqExact(t.address)) AS n_transacting
FROM chosen AS c
INNER JOIN
(
    SELECT e.project_id AS project_id, e.session AS session, e.visitor AS visitor, e.address AS address
    FROM events AS e
    WHERE e.project_id IN CAST($projects AS VARCHAR[])
        AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
        AND if(e.type = 'transaction' AND e.status NOT IN ('started', 'confirmed', 'reverted', 'rejected'), 1, 0) = 1
        AND e.address != ''
) AS t ON t.project_id = c.project_id AND t.session = c.session AND t.visitor = c.visitor
WHERE c.transactions > 0
GROUP BY c.project_id, c.value, c.detail, c.period
),
totals AS
(
SELECT
    project_id,
    value,
    detail,
    period,
    n_hits,
    n_sessions,
    n_visitors,
    toInt64(0) AS n_wallets,
    toInt64(0) AS n_transacting,
    n_transactions,
    n_volume,
    n_revenue
FROM of_sessions
UNION ALL
SELECT
    project_id,
    value,
    detail,
    period,
    toInt64(0) AS n_hits,
    toInt64(0) AS n_sessions,
    toInt64(0) AS n_visitors,
    n_wallets,
    toInt64(0) AS n_transacting,
    toInt64(0) AS n_transactions,
    toInt128(0) AS n_volume,
    toInt128(0) AS n_revenue
FROM of_wallets
UNION ALL
SELECT
    project_id,
    value,
    detail,
    period,
    toInt64(0) AS n_hits,
    toInt64(0) AS n_sessions,
    toInt64(0) AS n_visitors,
    toInt64(0) AS n_wallets,
    n_transacting,
    toInt64(0) AS n_transactions,
    toInt128(0) AS n_volume,
    toInt128(0) AS n_revenue
FROM of_transacting
),
counts AS
(
SELECT
    project_id,
    value,
    detail,
    hits,
    sessions,
    visitors,
    wallets,
    transacting_wallets,
    toFloat64(transacting_wallets) / nullIf(visitors, 0) AS conversion,
    transactions,
    volume,
    revenue,
    revenue / nullIf(wallets, 0) AS revenue_per_wallet,
    hits_previous,
    sessions_previous,
    visitors_previous,
    wallets_previous,
    transacting_wallets_previous,
    toFloat64(transacting_wallets_previous) / nullIf(visitors_previous, 0) AS conversion_previous,
    transactions_previous,
    volume_previous,
    revenue_previous,
    revenue_previous / nullIf(wallets_previous, 0) AS revenue_per_wallet_previous
FROM
(
    SELECT
        project_id,
        value,
        detail,
        sum(if(period = 0, n_hits, 0)) AS hits,
        sum(if(period = 0, n_sessions, 0)) AS sessions,
        sum(if(period = 0, n_visitors, 0)) AS visitors,
        sum(if(period = 0, n_wallets, 0)) AS wallets,
        sum(if(period = 0, n_transacting, 0)) AS transacting_wallets,
        sum(if(period = 0, n_transactions, 0)) AS transactions,
        toFloat64(sum(if(period = 0, n_volume, toInt128(0)))) / 1e9 AS volume,
        toFloat64(sum(if(period = 0, n_revenue, toInt128(0)))) / 1e9 AS revenue,
        sum(if(period = 1, n_hits, 0)) AS hits_previous,
        sum(if(period = 1, n_sessions, 0)) AS sessions_previous,
        sum(if(period = 1, n_visitors, 0)) AS visitors_previous,
        sum(if(period = 1, n_wallets, 0)) AS wallets_previous,
        sum(if(period = 1, n_transacting, 0)) AS transacting_wallets_previous,
        sum(if(period = 1, n_transactions, 0)) AS transactions_previous,
        toFloat64(sum(if(period = 1, n_volume, toInt128(0)))) / 1e9 AS volume_previous,
        toFloat64(sum(if(period = 1, n_revenue, toInt128(0)))) / 1e9 AS revenue_previous
    FROM totals
    GROUP BY project_id, value, detail
) AS pivoted
)
SELECT project_id, value, hits, sessions, visitors, wallets, transacting_wallets, conversion, transactions, volume, revenue, revenue_per_wallet, count() OVER () AS rows_before_limit
FROM counts
ORDER BY visitors DESC NULLS LAST, visitors DESC, sessions DESC, hits DESC, value, detail, project_id
LIMIT CAST($limit AS UINTEGER) OFFSET CAST($offset AS UINTEGER)
-- first_day, last_day, limit, offset, projects, scope_first_days, scope_projects, scope_without_bots
