-- Key figures from sessions and events. `v` is always a relation with the columns of `chosen`.

-- name: chosen
-- Sessions that match the filters, one row for each of their visitors. Rows with a `weight` of -1 are taken from what is
-- rolled up.
SELECT
    v.project_id AS project_id,
    v.day AS day,
    v.session AS session,
    v.visitor AS visitor,
    {value:Expression} AS value,
    {weight:Expression} AS weight,
    if(v.is_first, {weight:Expression}, 0) AS visits,
    if(v.is_first AND v.is_bounce, {weight:Expression}, 0) AS bounces,
    if(v.is_first, {weight:Expression} * v.active_ms, 0) AS active_ms,
    {weight:Expression} * v.hits AS hits,
    {weight:Expression} * v.transactions AS transactions,
    {weight:Expression} * v.revenue AS revenue,
    {weight:Expression} * v.volume AS volume,
    v.addresses AS addresses,
    v.entry_page AS entry_page,
    toUnixTimestamp64Milli(v.started_at) AS started_ms
FROM {from:Relation} AS v {v:InScope}
WHERE {v:KeptWindow}
    AND {bots:Condition}
    AND {session_filter:Condition}
    AND {matched:Condition}

-- name: of_sessions
SELECT
    v.project_id AS project_id,
    v.value AS value,
    {bucket:Expression} AS bucket,
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

-- name: of_visits
-- Sessions and visitors alone.
SELECT
    v.project_id AS project_id,
    v.value AS value,
    {bucket:Expression} AS bucket,
    sum(v.visits) AS n_sessions,
    uniqExact(v.visitor) AS n_visitors
FROM chosen AS v
GROUP BY v.project_id, v.value, bucket

-- name: of_wallets
SELECT project_id, value, bucket, uniqExact(address) AS n_wallets
FROM
(
    SELECT
        v.project_id AS project_id,
        v.value AS value,
        {bucket:Expression} AS bucket,
        arrayJoin(v.addresses) AS address
    FROM chosen AS v
    WHERE notEmpty(v.addresses)
) AS listed
GROUP BY project_id, value, bucket

-- name: of_entries
-- The sessions over which bounce rate and duration are averaged.
SELECT
    v.project_id AS project_id,
    v.value AS value,
    {bucket:Expression} AS bucket,
    sum(v.visits) AS n_entries,
    sum(v.bounces) AS n_bounces,
    sum(v.active_ms) AS n_active_ms
FROM chosen AS v
WHERE v.visits != 0 AND {entered:Condition}
GROUP BY v.project_id, v.value, bucket

-- name: of_events
-- Events of these sessions: all, or those on the page.
SELECT
    c.project_id AS project_id,
    c.value AS value,
    {bucket:Expression} AS bucket,
    sum(if({on_page:Condition} AND e.type = 'page', 1, 0)) AS n_pageviews,
    sum(if({on_page:Condition}, {is_transaction:Expression}, 0)) AS n_transactions,
    sum(if({on_page:Condition}, toInt128(floor(e.revenue * 1e9 + 0.5)), toInt128(0))) AS n_revenue,
    sum(if({on_page:Condition}, toInt128(floor(e.volume * 1e9 + 0.5)), toInt128(0))) AS n_volume,
    uniqExact(e.session) AS n_sessions,
    uniqExact(e.visitor) AS n_visitors,
    uniqExact(if(e.address = '', NULL, e.address)) AS n_wallets
FROM events AS e
INNER JOIN (SELECT v.project_id AS project_id, v.session AS session, v.value AS value FROM chosen AS v WHERE v.visits = 1) AS c
    ON c.project_id = e.project_id AND c.session = e.session
WHERE {e:Window}
    AND {read:Condition}
GROUP BY c.project_id, c.value, bucket
