-- Everything in the sessions of each value. A wallet counts once under a value, on however many days: wallets of days
-- cannot be added up, so that all days are read from sessions, and the few transactions from events.

-- name: matching
-- Sessions with an event that matches all event filters. The session hash includes the day.
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE {e:Projects}
    AND {in_event_days:Condition}
    AND {event_filter:Condition}

-- name: with_views
-- The page views of the whole session, of all its visitors.
SELECT v.*, sum(v.hits) OVER (PARTITION BY v.project_id, v.session) AS session_hits
FROM sessions AS v
WHERE {v:Projects}
    AND {in_days:Condition}

-- name: chosen
-- Sessions that match the filters, one row for each of their visitors, and twice if both periods have their day.
SELECT
    v.project_id AS project_id,
    v.session AS session,
    v.visitor AS visitor,
    {value:Expression} AS value,
    {detail:Expression} AS detail,
    {period:Expression} AS period,
    if(v.is_first, 1, 0) AS visits,
    v.hits AS hits,
    v.transactions AS transactions,
    v.revenue AS revenue,
    v.volume AS volume,
    v.addresses AS addresses
FROM {read:Relation} AS v {v:InScope}
WHERE {v:Projects}
    AND {in_days:Condition}
    AND v.day >= s.first_day
    AND {bots:Condition}
    AND {session_filter:Condition}
    AND {kept:Condition}

-- name: listed
-- The same for a list: a visitor of a session counts under each of its values.
SELECT
    c.project_id AS project_id,
    c.session AS session,
    c.visitor AS visitor,
    arrayJoin(c.value) AS value,
    c.detail AS detail,
    c.period AS period,
    c.hits AS hits,
    c.transactions AS transactions,
    c.revenue AS revenue,
    c.volume AS volume,
    c.addresses AS addresses
FROM chosen AS c
WHERE notEmpty(c.value)

-- name: named
-- The values of events that match the event filters.
SELECT DISTINCT
    e.project_id AS project_id,
    e.session AS session,
    e.visitor AS visitor,
    {event_value:Expression} AS value
FROM events AS e
WHERE {e:Projects}
    AND {in_event_days:Condition}
    AND {event_value:Expression} != ''
    AND {event_filter:Condition}

-- name: listed_by_events
SELECT
    c.project_id AS project_id,
    c.session AS session,
    c.visitor AS visitor,
    n.value AS value,
    c.detail AS detail,
    c.period AS period,
    c.hits AS hits,
    c.transactions AS transactions,
    c.revenue AS revenue,
    c.volume AS volume,
    c.addresses AS addresses
FROM chosen AS c
INNER JOIN named AS n ON n.project_id = c.project_id AND n.session = c.session AND n.visitor = c.visitor

-- name: of_sessions
SELECT
    c.project_id AS project_id,
    c.value AS value,
    c.detail AS detail,
    c.period AS period,
    toInt64(sum(c.hits)) AS n_hits,
    toInt64({sessions:Expression}) AS n_sessions,
    toInt64(uniqExact(c.visitor)) AS n_visitors,
    toInt64(sum(c.transactions)) AS n_transactions,
    toInt128(sum(c.volume)) AS n_volume,
    toInt128(sum(c.revenue)) AS n_revenue
FROM {visits:Relation} AS c
GROUP BY c.project_id, c.value, c.detail, c.period

-- name: of_wallets
SELECT project_id, value, detail, period, toInt64(uniqExact(address)) AS n_wallets
FROM
(
    SELECT
        c.project_id AS project_id,
        c.value AS value,
        c.detail AS detail,
        c.period AS period,
        arrayJoin(c.addresses) AS address
    FROM {visits:Relation} AS c
    WHERE notEmpty(c.addresses)
) AS each_address
GROUP BY project_id, value, detail, period

-- name: of_transacting
-- Wallets with a transaction. Few events are transactions: they are the right side of the join, from which the hash
-- table is built.
SELECT
    c.project_id AS project_id,
    c.value AS value,
    c.detail AS detail,
    c.period AS period,
    toInt64(uniqExact(t.address)) AS n_transacting
FROM {visits:Relation} AS c
INNER JOIN
(
    SELECT e.project_id AS project_id, e.session AS session, e.visitor AS visitor, e.address AS address
    FROM events AS e
    WHERE {e:Projects}
        AND {in_event_days:Condition}
        AND {is_transaction:Expression} = 1
        AND e.address != ''
) AS t ON t.project_id = c.project_id AND t.session = c.session AND t.visitor = c.visitor
WHERE c.transactions > 0
GROUP BY c.project_id, c.value, c.detail, c.period

-- name: totals_of_sessions
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

-- name: totals_of_wallets
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

-- name: totals_of_transacting
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
