-- What `totals` counted for each value, in the window (period 0) and in the days to compare with (period 1).

-- name: counts
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

-- name: imported
-- Sums of days that another product counted, as rows of `totals`.
SELECT
    i.project_id AS project_id,
    i.value AS value,
    i.detail AS detail,
    {period:Expression} AS period,
    toInt64(i.pageviews) AS n_hits,
    toInt64(i.visits) AS n_sessions,
    toInt64(i.visitors) AS n_visitors,
    toInt64(0) AS n_wallets,
    toInt64(0) AS n_transacting,
    toInt64(0) AS n_transactions,
    toInt128(0) AS n_volume,
    toInt128(0) AS n_revenue
FROM imported_days AS i {i:InScope}
WHERE {i:Projects}
    AND {in_days:Condition}
    AND i.day >= s.first_day
    AND {imported:Condition}
