-- Events by a value of their own, with the sessions, visitors and wallets that have them.

-- name: matching
-- Sessions with an event that matches all event filters. The session hash includes the day.
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE {e:Projects}
    AND {in_event_days:Condition}
    AND {event_filter:Condition}

-- name: chosen
-- Sessions that match the filters.
SELECT v.project_id AS project_id, v.session AS session
FROM sessions AS v {v:InScope}
WHERE {v:Projects}
    AND {in_days:Condition}
    AND v.day >= s.first_day
    AND v.is_first
    AND {bots:Condition}
    AND {session_filter:Condition}
    AND {matched:Condition}

-- name: dated
-- Events that match the filters, twice if both periods have their day. A list of values becomes rows in `named` only:
-- DuckDB pairs two lists of one SELECT, ClickHouse multiplies them.
SELECT
    e.project_id AS project_id,
    {period:Expression} AS period,
    e.session AS session,
    e.visitor AS visitor,
    e.address AS address,
    e.type AS type,
    e.event AS event,
    e.origin AS origin,
    e.pathname AS pathname,
    e.chain_id AS chain_id,
    {read:Expression},
    {is_transaction:Expression} AS is_transaction,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS volume,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS revenue
FROM events AS e {e:InScope}
WHERE {e:Projects}
    AND {in_event_days:Condition}
    AND e.day >= s.first_day
    AND {has_value:Condition}
    AND {event_filter:Condition}
    AND {is_chosen:Condition}

-- name: named
SELECT
    e.project_id AS project_id,
    {value:Expression} AS value,
    {detail:Expression} AS detail,
    e.period AS period,
    e.session AS session,
    e.visitor AS visitor,
    e.address AS address,
    if({is_seen:Condition}, 1, 0) AS is_seen,
    if({is_hit:Condition}, 1, 0) AS is_hit,
    e.is_transaction AS is_transaction,
    e.volume AS volume,
    e.revenue AS revenue
FROM dated AS e

-- name: totals
SELECT
    n.project_id AS project_id,
    n.value AS value,
    n.detail AS detail,
    n.period AS period,
    toInt64(sum(n.is_hit)) AS n_hits,
    toInt64(uniqExact(if(n.is_seen = 1, n.session, NULL))) AS n_sessions,
    toInt64(uniqExact(if(n.is_seen = 1, n.visitor, NULL))) AS n_visitors,
    {wallets:Expression} AS n_wallets,
    {transacting:Expression} AS n_transacting,
    toInt64(sum(n.is_transaction)) AS n_transactions,
    toInt128(sum(n.volume)) AS n_volume,
    toInt128(sum(n.revenue)) AS n_revenue
FROM named AS n
GROUP BY n.project_id, n.value, n.detail, n.period
