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
dated AS
(
SELECT
    e.project_id AS project_id,
    0 AS period,
    e.session AS session,
    e.visitor AS visitor,
    e.address AS address,
    e.type AS type,
    e.event AS event,
    e.origin AS origin,
    e.pathname AS pathname,
    e.chain_id AS chain_id,
    e.builder_codes AS builder_codes,
    if(e.type = 'transaction' AND e.status NOT IN ('started', 'confirmed', 'reverted', 'rejected'), 1, 0) AS is_transaction,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS volume,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS revenue
FROM events AS e
INNER JOIN scope AS s ON s.project_id = e.project_id
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND e.day >= s.first_day
    AND (e.type = 'page' OR e.origin != '' OR e.pathname != '')
    AND 1 = 1
    AND 1 = 1
),
named AS
(
SELECT
    e.project_id AS project_id,
    e.origin AS value,
    e.pathname AS detail,
    e.period AS period,
    e.session AS session,
    e.visitor AS visitor,
    e.address AS address,
    if(e.type = 'page', 1, 0) AS is_seen,
    if(e.type = 'page', 1, 0) AS is_hit,
    e.is_transaction AS is_transaction,
    e.volume AS volume,
    e.revenue AS revenue
FROM dated AS e
),
totals AS
(
SELECT
    n.project_id AS project_id,
    n.value AS value,
    n.detail AS detail,
    n.period AS period,
    toInt64(sum(n.is_hit)) AS n_hits,
    toInt64(uniqExact(if(n.is_seen = 1, n.session, NULL))) AS n_sessions,
    toInt64(uniqExact(if(n.is_seen = 1, n.visitor, NULL))) AS n_visitors,
    toInt64(uniqExact(if(n.address != '', n.address, NULL))) AS n_wallets,
    toInt64(uniqExact(if(n.is_transaction = 1 AND n.address != '', n.address, NULL))) AS n_transacting,
    toInt64(sum(n.is_transaction)) AS n_transactions,
    toInt128(sum(n.volume)) AS n_volume,
    toInt128(sum(n.revenue)) AS n_revenue
FROM named AS n
GROUP BY n.project_id, n.value, n.detail, n.period
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
SELECT project_id, value, detail, hits, sessions, visitors, wallets, transacting_wallets, conversion, transactions, volume, revenue, revenue_per_wallet, count() OVER () AS rows_before_limit
FROM counts
ORDER BY visitors DESC NULLS LAST, visitors DESC, sessions DESC, hits DESC, value, detail, project_id
LIMIT CAST($limit AS UINTEGER) OFFSET CAST($offset AS UINTEGER)
-- first_day, last_day, limit, offset, projects, scope_first_days, scope_projects
