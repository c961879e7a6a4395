-- name: parts_of_events
-- An event as a part of its session. Ranks order events by time, and events of the same time by their dedupe key: 43
-- bits of time, 20 bits of the key. In `touch_rank` events that know their page or how the visitor arrived come before
-- all others, by one more bit: the first touch is the event with the lowest rank. The ranks of pages, addresses and paid
-- sources leave out the events without one. An engine with row ids follows the rank of the first touch with the row id of
-- the part, `part`, and reads the columns of the touch once for a session. For others the columns are one list: an
-- aggregate that follows the rank of one list takes half the time of 19 that follow it for one column each (52 instead of
-- 98 ms for 24,000 events), but the lists of all parts took a third of the time of a merge. Where sessions are stored as
-- they grow, `received_to` says when the last event came.
SELECT
    e.project_id AS project_id,
    e.day AS day,
    e.session AS session,
    e.visitor AS visitor,
    {part:Expression} AS part,
    {received:Expression} AS received_to,
    if(e.has_touch = 0, toUInt64(9223372036854775808), toUInt64(0)) + e.rank AS touch_rank,
    e.timestamp AS started_at,
    e.timestamp AS ended_at,
    if(e.type = 'page', 1, 0) AS hits,
    1 AS events,
    {is_transaction:Expression} AS transactions,
    {is_signature:Expression} AS signatures,
    if(e.type = 'connect', 1, 0) AS connects,
    if(e.type IN ('connect', 'transaction', 'track', 'decoded_log'), 1, 0) AS engagements,
    if(e.type = 'page', e.rank, toUInt64(18446744073709551615)) AS entry_rank,
    if(e.type = 'page', e.rank, toUInt64(0)) AS exit_rank,
    [e.origin, e.pathname] AS entry,
    [e.origin, e.pathname] AS exit,
    if(e.address = '', toUInt64(18446744073709551615), e.rank) AS address_rank,
    e.address AS address,
    if(e.chain_id = '', [], [e.chain_id]) AS chains,
    if(e.rdns = '', [], [e.rdns]) AS rdns_names,
    if(e.address = '', [], [e.address]) AS addresses,
    if(e.type = 'page', [concat(e.origin, ' ', e.pathname)], []) AS pages,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS revenue,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS volume,
    toInt128(floor(e.points * 1e9 + 0.5)) AS points,
    [
        e.referrer, e.referrer_url, e.ref, e.utm_source, e.utm_medium, e.utm_campaign, e.utm_term, e.utm_content,
        e.acquisition, e.origin, e.pathname, e.builder_codes, e.device, e.browser, e.os, e.location, e.rdns,
        e.provider_name, e.chain_id
    ] AS touch,
    if(e.paid_source = '', toUInt64(18446744073709551615), e.rank) AS paid_rank,
    [e.paid_source, if(e.paid_source = '', '', e.click_id)] AS paid{more:Expression}
FROM
(
    SELECT *, toUInt64(toUnixTimestamp64Milli(timestamp)) * 1048576 + dedupe_key % 1048576 AS rank
    FROM {events:Relation}
) AS e

-- name: parts_of_sessions
-- An existing row of a session as a part of it. Only the row with `is_first` has a rank: it holds the first touch. Its row
-- id is never that of a new event: DuckDB numbers those from 36028797018960000 on.
SELECT
    k.project_id AS project_id,
    k.day AS day,
    k.session AS session,
    k.visitor AS visitor,
    k.rowid AS part,
    k.received_to AS received_to,
    if(k.is_first, k.touch_rank, toUInt64(18446744073709551615)) AS touch_rank,
    k.started_at AS started_at,
    k.ended_at AS ended_at,
    k.hits AS hits,
    k.events AS events,
    k.transactions AS transactions,
    k.signatures AS signatures,
    k.connects AS connects,
    k.engagements AS engagements,
    k.entry_rank AS entry_rank,
    k.exit_rank AS exit_rank,
    [k.entry_origin, k.entry_page] AS entry,
    [k.exit_origin, k.exit_page] AS exit,
    k.address_rank AS address_rank,
    k.address AS address,
    k.chains AS chains,
    k.rdns_names AS rdns_names,
    k.addresses AS addresses,
    k.pages AS pages,
    k.revenue AS revenue,
    k.volume AS volume,
    k.points AS points,
    [
        k.referrer, k.referrer_url, k.ref, k.utm_source, k.utm_medium, k.utm_campaign, k.utm_term, k.utm_content,
        k.channel, k.origin, k.pathname, k.builder_codes, k.device, k.browser, k.os, k.location, k.rdns,
        k.provider_name, k.chain_id
    ] AS touch,
    k.paid_rank AS paid_rank,
    [k.paid_source, k.click_id] AS paid
FROM {sessions:Relation} AS k

-- name: touches_of_events
-- The columns of a part that are those of its session if the part is the first.
SELECT
    e.rowid AS part,
    e.referrer AS referrer,
    e.referrer_url AS referrer_url,
    e.ref AS ref,
    e.utm_source AS utm_source,
    e.utm_medium AS utm_medium,
    e.utm_campaign AS utm_campaign,
    e.utm_term AS utm_term,
    e.utm_content AS utm_content,
    e.acquisition AS channel,
    e.origin AS origin,
    e.pathname AS pathname,
    e.builder_codes AS builder_codes,
    e.device AS device,
    e.browser AS browser,
    e.os AS os,
    e.location AS location,
    e.rdns AS rdns,
    e.provider_name AS provider_name,
    e.chain_id AS chain_id
FROM {events:Relation} AS e

-- name: touches_of_sessions
SELECT
    k.rowid AS part,
    k.referrer AS referrer,
    k.referrer_url AS referrer_url,
    k.ref AS ref,
    k.utm_source AS utm_source,
    k.utm_medium AS utm_medium,
    k.utm_campaign AS utm_campaign,
    k.utm_term AS utm_term,
    k.utm_content AS utm_content,
    k.channel AS channel,
    k.origin AS origin,
    k.pathname AS pathname,
    k.builder_codes AS builder_codes,
    k.device AS device,
    k.browser AS browser,
    k.os AS os,
    k.location AS location,
    k.rdns AS rdns,
    k.provider_name AS provider_name,
    k.chain_id AS chain_id
FROM {sessions:Relation} AS k

-- name: of_session
-- The columns of a whole session.
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    min(p.touch_rank) AS first_rank,
    argMin(p.visitor, p.touch_rank) AS first_visitor,
    argMin(p.part, p.touch_rank) AS first_part,
    min(p.started_at) AS started_at,
    max(p.ended_at) AS ended_at,
    max(p.received_to) AS received_to,
    min(p.entry_rank) AS first_entry_rank,
    argMin(p.entry, p.entry_rank) AS first_entry,
    max(p.exit_rank) AS last_exit_rank,
    argMax(p.exit, p.exit_rank) AS last_exit,
    min(p.address_rank) AS first_address_rank,
    argMin(p.address, p.address_rank) AS first_address,
    min(p.paid_rank) AS first_paid_rank,
    argMin(p.paid, p.paid_rank) AS first_paid,
    sum(p.hits) AS all_hits,
    sum(p.engagements) AS all_engagements
FROM parts AS p
GROUP BY p.project_id, p.day, p.session

-- name: of_visitor
-- The columns of each visitor of a session.
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    p.visitor AS visitor,
    sum(p.hits) AS n_hits,
    sum(p.events) AS n_events,
    sum(p.engagements) AS n_engagements,
    sum(p.transactions) AS n_transactions,
    sum(p.signatures) AS n_signatures,
    sum(p.connects) AS n_connects,
    groupUniqArrayArray(p.chains) AS own_chains,
    groupUniqArrayArray(p.rdns_names) AS own_rdns_names,
    groupUniqArrayArray(p.addresses) AS own_addresses,
    groupUniqArrayArray(p.pages) AS own_pages,
    sum(p.revenue) AS sum_revenue,
    sum(p.volume) AS sum_volume,
    sum(p.points) AS sum_points
FROM parts AS p
GROUP BY p.project_id, p.day, p.session, p.visitor

-- name: spans_of_events
SELECT
    e.project_id AS project_id,
    e.session AS session,
    toUnixTimestamp64Milli(e.timestamp) % 86400000 AS from_ms,
    toUnixTimestamp64Milli(e.timestamp) % 86400000 AS to_ms
FROM {events:Relation} AS e
WHERE {long:Condition}

-- name: spans_of_sessions
-- The time of an existing session between its gaps. Only DuckDB merges sessions: it unnests both lists side by side.
SELECT
    k.project_id AS project_id,
    k.session AS session,
    unnest(arrayConcat([toUnixTimestamp64Milli(k.started_at) % 86400000], k.gap_ends)) AS from_ms,
    unnest(arrayConcat(k.gap_starts, [toUnixTimestamp64Milli(k.ended_at) % 86400000])) AS to_ms
FROM {sessions:Relation} AS k
WHERE k.is_first AND {long:Condition}

-- name: gaps
-- The gaps of more than 30 minutes between the events of a session, in milliseconds of its day, which its hash includes.
-- `reached_ms` is one more than the end of all spans before: nothing before is 0 on ClickHouse, and NULL on DuckDB.
SELECT
    project_id AS gap_project,
    session AS gap_session,
    sumIf(from_ms - reached_ms + 1, is_gap) AS idle_ms,
    arraySort(groupArrayIf(reached_ms - 1, is_gap)) AS gap_starts,
    arraySort(groupArrayIf(from_ms, is_gap)) AS gap_ends
FROM
(
    SELECT project_id, session, from_ms, reached_ms, reached_ms > 0 AND from_ms - reached_ms >= 1800000 AS is_gap
    FROM
    (
        SELECT
            project_id,
            session,
            from_ms,
            max(to_ms + 1) OVER
                (PARTITION BY project_id, session ORDER BY from_ms
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached_ms
        FROM spans
    ) AS reached
) AS every
GROUP BY project_id, session

-- name: active
-- The columns of a whole session, with its activity: its time without the gaps. `gaps` may leave sessions without any
-- out. The join has no names in common: ClickHouse would call a column `s.session` instead of `session`.
SELECT
    s.*,
    toUnixTimestamp64Milli(s.ended_at) - toUnixTimestamp64Milli(s.started_at) - coalesce(g.idle_ms, 0) AS active_ms,
    coalesce(g.gap_starts, []) AS gap_starts,
    coalesce(g.gap_ends, []) AS gap_ends
FROM {whole:Relation} AS s
LEFT JOIN gaps AS g ON g.gap_project = s.project_id AND g.gap_session = s.session

-- name: joined
-- Each visitor of a session with the columns of the whole session. The touches are on the left: they flow past the hash
-- tables of the others, and are copied nowhere.
SELECT
    v.*,
    s.first_rank AS first_rank,
    s.first_visitor AS first_visitor,
    s.started_at AS started_at,
    s.ended_at AS ended_at,
    s.received_to AS received_to,
    s.first_entry_rank AS first_entry_rank,
    s.first_entry AS first_entry,
    s.last_exit_rank AS last_exit_rank,
    s.last_exit AS last_exit,
    s.first_address_rank AS first_address_rank,
    s.first_address AS first_address,
    s.first_paid_rank AS first_paid_rank,
    s.first_paid AS first_paid,
    s.all_hits AS all_hits,
    s.all_engagements AS all_engagements,
    s.active_ms AS active_ms,
    s.gap_starts AS gap_starts,
    s.gap_ends AS gap_ends,
    t.referrer AS referrer,
    t.referrer_url AS referrer_url,
    t.ref AS ref,
    t.utm_source AS utm_source,
    t.utm_medium AS utm_medium,
    t.utm_campaign AS utm_campaign,
    t.utm_term AS utm_term,
    t.utm_content AS utm_content,
    t.channel AS channel,
    t.origin AS origin,
    t.pathname AS pathname,
    t.builder_codes AS builder_codes,
    t.device AS device,
    t.browser AS browser,
    t.os AS os,
    t.location AS location,
    t.rdns AS rdns,
    t.provider_name AS provider_name,
    t.chain_id AS chain_id
FROM touches AS t
INNER JOIN active AS s ON s.first_part = t.part
INNER JOIN of_visitor AS v ON v.project_id = s.project_id AND v.day = s.day AND v.session = s.session

-- name: texts_of_events
-- The texts of lists by themselves.
,
    e.origin AS origin,
    e.pathname AS pathname,
    e.chain_id AS chain_id,
    e.rdns AS rdns,
    e.paid_source AS paid_source,
    if(e.paid_source = '', '', e.click_id) AS click_id

-- name: of_new
-- What new events bring to sessions of one visitor. Only DuckDB merges sessions. There `argMin` is fast for texts and by a
-- 128-bit number: for a list, or by a rank of 64 bits without a sign, it takes twice the time.
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    p.visitor AS visitor,
    min(p.touch_rank) AS touch_rank,
    argMin(p.part, toInt128(p.touch_rank)) AS first_part,
    min(p.started_at) AS started_at,
    max(p.ended_at) AS ended_at,
    max(p.received_to) AS received_to,
    min(p.entry_rank) AS entry_rank,
    argMin(p.origin, toInt128(p.entry_rank)) AS entry_origin,
    argMin(p.pathname, toInt128(p.entry_rank)) AS entry_page,
    max(p.exit_rank) AS exit_rank,
    argMax(p.origin, toInt128(p.exit_rank)) AS exit_origin,
    argMax(p.pathname, toInt128(p.exit_rank)) AS exit_page,
    min(p.address_rank) AS address_rank,
    argMin(p.address, toInt128(p.address_rank)) AS address,
    min(p.paid_rank) AS paid_rank,
    argMin(p.paid_source, toInt128(p.paid_rank)) AS paid_source,
    argMin(p.click_id, toInt128(p.paid_rank)) AS click_id,
    sum(p.hits) AS hits,
    sum(p.events) AS events,
    sum(p.engagements) AS engagements,
    sum(p.transactions) AS transactions,
    sum(p.signatures) AS signatures,
    sum(p.connects) AS connects,
    groupArrayIf(p.chain_id, p.chain_id != '') AS chains,
    groupArrayIf(p.rdns, p.rdns != '') AS rdns_names,
    groupArrayIf(p.address, p.address != '') AS addresses,
    groupArrayIf(concat(p.origin, ' ', p.pathname), p.hits = 1) AS pages,
    sum(p.revenue) AS revenue,
    sum(p.volume) AS volume,
    sum(p.points) AS points
FROM parts AS p
GROUP BY p.project_id, p.day, p.session, p.visitor

-- name: unique
-- The values of the session so far and the new ones, once each. Nearly always there is one new value at most: a list of
-- different values takes a hash table for each session, half of the time of the aggregates.
multiIf(
        len(v.{list:Expression}) <= 1 AND (len(v.{list:Expression}) = 0 OR has(k.{list:Expression}, v.{list:Expression}[1])),
        coalesce(k.{list:Expression}, []),
        len(v.{list:Expression}) = 1 AND len(coalesce(k.{list:Expression}, [])) = 0,
        v.{list:Expression},
        arrayDistinct(arrayConcat(coalesce(k.{list:Expression}, []), v.{list:Expression})))

-- name: merged
-- Sessions of one visitor with their new events: `k` is the session so far, if there is one.
SELECT
    v.project_id AS project_id,
    v.day AS day,
    v.session AS session,
    v.visitor AS visitor,
    v.visitor AS first_visitor,
    v.hits + coalesce(k.hits, 0) AS n_hits,
    v.hits + coalesce(k.hits, 0) AS all_hits,
    v.events + coalesce(k.events, 0) AS n_events,
    v.engagements + coalesce(k.engagements, 0) AS n_engagements,
    v.engagements + coalesce(k.engagements, 0) AS all_engagements,
    v.transactions + coalesce(k.transactions, 0) AS n_transactions,
    v.signatures + coalesce(k.signatures, 0) AS n_signatures,
    v.connects + coalesce(k.connects, 0) AS n_connects,
    {chains:Expression} AS own_chains,
    {rdns_names:Expression} AS own_rdns_names,
    {addresses:Expression} AS own_addresses,
    {pages:Expression} AS own_pages,
    v.revenue + coalesce(k.revenue, 0) AS sum_revenue,
    v.volume + coalesce(k.volume, 0) AS sum_volume,
    v.points + coalesce(k.points, 0) AS sum_points,
    least(v.touch_rank, k.touch_rank) AS first_rank,
    least(v.started_at, k.started_at) AS started_at,
    greatest(v.ended_at, k.ended_at) AS ended_at,
    greatest(v.received_to, k.received_to) AS received_to,
    least(v.entry_rank, k.entry_rank) AS first_entry_rank,
    if(k.entry_rank <= v.entry_rank, [k.entry_origin, k.entry_page], [v.entry_origin, v.entry_page]) AS first_entry,
    greatest(v.exit_rank, k.exit_rank) AS last_exit_rank,
    if(k.exit_rank >= v.exit_rank, [k.exit_origin, k.exit_page], [v.exit_origin, v.exit_page]) AS last_exit,
    least(v.address_rank, k.address_rank) AS first_address_rank,
    if(k.address_rank <= v.address_rank, k.address, v.address) AS first_address,
    least(v.paid_rank, k.paid_rank) AS first_paid_rank,
    if(k.paid_rank <= v.paid_rank, [k.paid_source, k.click_id], [v.paid_source, v.click_id]) AS first_paid,
    if(k.touch_rank <= v.touch_rank, k.referrer, t.referrer) AS referrer,
    if(k.touch_rank <= v.touch_rank, k.referrer_url, t.referrer_url) AS referrer_url,
    if(k.touch_rank <= v.touch_rank, k.ref, t.ref) AS ref,
    if(k.touch_rank <= v.touch_rank, k.utm_source, t.utm_source) AS utm_source,
    if(k.touch_rank <= v.touch_rank, k.utm_medium, t.utm_medium) AS utm_medium,
    if(k.touch_rank <= v.touch_rank, k.utm_campaign, t.utm_campaign) AS utm_campaign,
    if(k.touch_rank <= v.touch_rank, k.utm_term, t.utm_term) AS utm_term,
    if(k.touch_rank <= v.touch_rank, k.utm_content, t.utm_content) AS utm_content,
    if(k.touch_rank <= v.touch_rank, k.channel, t.channel) AS channel,
    if(k.touch_rank <= v.touch_rank, k.origin, t.origin) AS origin,
    if(k.touch_rank <= v.touch_rank, k.pathname, t.pathname) AS pathname,
    if(k.touch_rank <= v.touch_rank, k.builder_codes, t.builder_codes) AS builder_codes,
    if(k.touch_rank <= v.touch_rank, k.device, t.device) AS device,
    if(k.touch_rank <= v.touch_rank, k.browser, t.browser) AS browser,
    if(k.touch_rank <= v.touch_rank, k.os, t.os) AS os,
    if(k.touch_rank <= v.touch_rank, k.location, t.location) AS location,
    if(k.touch_rank <= v.touch_rank, k.rdns, t.rdns) AS rdns,
    if(k.touch_rank <= v.touch_rank, k.provider_name, t.provider_name) AS provider_name,
    if(k.touch_rank <= v.touch_rank, k.chain_id, t.chain_id) AS chain_id
FROM touches AS t
INNER JOIN of_new AS v ON v.first_part = t.part
LEFT JOIN {sessions:Relation} AS k ON k.project_id = v.project_id AND k.day = v.day AND k.session = v.session

-- name: without_gaps
SELECT
    s.*,
    toUnixTimestamp64Milli(s.ended_at) - toUnixTimestamp64Milli(s.started_at) AS active_ms,
    [] AS gap_starts,
    [] AS gap_ends
FROM merged AS s

-- name: of_visitor_alone
-- What `of_session` and `of_visitor` compute, with one reader of `parts`, for an engine that computes a CTE again for each
-- reader: what each visitor brings to the whole session, from which the windows of `joined_alone` choose.
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    p.visitor AS visitor,
    sum(p.hits) AS n_hits,
    sum(p.events) AS n_events,
    sum(p.engagements) AS n_engagements,
    sum(p.transactions) AS n_transactions,
    sum(p.signatures) AS n_signatures,
    sum(p.connects) AS n_connects,
    groupUniqArrayArray(p.chains) AS own_chains,
    groupUniqArrayArray(p.rdns_names) AS own_rdns_names,
    groupUniqArrayArray(p.addresses) AS own_addresses,
    groupUniqArrayArray(p.pages) AS own_pages,
    sum(p.revenue) AS sum_revenue,
    sum(p.volume) AS sum_volume,
    sum(p.points) AS sum_points,
    min(p.touch_rank) AS own_rank,
    argMin(p.touch, p.touch_rank) AS own_touch,
    min(p.started_at) AS own_start,
    max(p.ended_at) AS own_end,
    min(p.entry_rank) AS own_entry_rank,
    argMin(p.entry, p.entry_rank) AS own_entry,
    max(p.exit_rank) AS own_exit_rank,
    argMax(p.exit, p.exit_rank) AS own_exit,
    min(p.address_rank) AS own_address_rank,
    argMin(p.address, p.address_rank) AS own_address,
    min(p.paid_rank) AS own_paid_rank,
    argMin(p.paid, p.paid_rank) AS own_paid
FROM parts AS p
GROUP BY p.project_id, p.day, p.session, p.visitor

-- name: whole_alone
SELECT
    o.*,
    min(o.own_rank) OVER whole AS first_rank,
    argMin(o.visitor, o.own_rank) OVER whole AS first_visitor,
    argMin(o.own_touch, o.own_rank) OVER whole AS first_touch,
    min(o.own_start) OVER whole AS started_at,
    max(o.own_end) OVER whole AS ended_at,
    min(o.own_entry_rank) OVER whole AS first_entry_rank,
    argMin(o.own_entry, o.own_entry_rank) OVER whole AS first_entry,
    max(o.own_exit_rank) OVER whole AS last_exit_rank,
    argMax(o.own_exit, o.own_exit_rank) OVER whole AS last_exit,
    min(o.own_address_rank) OVER whole AS first_address_rank,
    argMin(o.own_address, o.own_address_rank) OVER whole AS first_address,
    min(o.own_paid_rank) OVER whole AS first_paid_rank,
    argMin(o.own_paid, o.own_paid_rank) OVER whole AS first_paid,
    sum(o.n_hits) OVER whole AS all_hits,
    sum(o.n_engagements) OVER whole AS all_engagements
FROM of_visitor_alone AS o
WINDOW whole AS (PARTITION BY o.project_id, o.day, o.session)

-- name: joined_alone
SELECT
    v.*,
    toUnixTimestamp64Milli(v.ended_at) - toUnixTimestamp64Milli(v.started_at) - coalesce(g.idle_ms, 0) AS active_ms,
    coalesce(g.gap_starts, []) AS gap_starts,
    coalesce(g.gap_ends, []) AS gap_ends
FROM whole_alone AS v
LEFT JOIN gaps AS g ON g.gap_project = v.project_id AND g.gap_session = v.session

-- name: touch_of_list
v.first_touch[1] AS referrer,
    v.first_touch[2] AS referrer_url,
    v.first_touch[3] AS ref,
    v.first_touch[4] AS utm_source,
    v.first_touch[5] AS utm_medium,
    v.first_touch[6] AS utm_campaign,
    v.first_touch[7] AS utm_term,
    v.first_touch[8] AS utm_content,
    v.first_touch[9] AS channel,
    v.first_touch[10] AS origin,
    v.first_touch[11] AS pathname,
    v.first_touch[12] AS builder_codes,
    v.first_touch[13] AS device,
    v.first_touch[14] AS browser,
    v.first_touch[15] AS os,
    v.first_touch[16] AS location,
    v.first_touch[17] AS rdns,
    v.first_touch[18] AS provider_name,
    v.first_touch[19] AS chain_id

-- name: touch_of_part
v.referrer AS referrer,
    v.referrer_url AS referrer_url,
    v.ref AS ref,
    v.utm_source AS utm_source,
    v.utm_medium AS utm_medium,
    v.utm_campaign AS utm_campaign,
    v.utm_term AS utm_term,
    v.utm_content AS utm_content,
    v.channel AS channel,
    v.origin AS origin,
    v.pathname AS pathname,
    v.builder_codes AS builder_codes,
    v.device AS device,
    v.browser AS browser,
    v.os AS os,
    v.location AS location,
    v.rdns AS rdns,
    v.provider_name AS provider_name,
    v.chain_id AS chain_id

-- name: sessions
-- THE definition of a session: the events of one project, UTC day and session, as rows of `sessions`, one per visitor.
-- A session is a bounce when it has at most one page view, no event that shows interest, and less than ten seconds of
-- activity.
SELECT
    v.project_id AS project_id,
    v.day AS day,
    v.session AS session,
    v.visitor AS visitor,
    v.visitor = v.first_visitor AS is_first,
    v.started_at AS started_at,
    v.ended_at AS ended_at,
    v.active_ms AS active_ms,
    v.all_hits <= 1 AND v.all_engagements = 0 AND v.active_ms < 10000 AS is_bounce,
    if(v.all_hits = 0, '', v.first_entry[1]) AS entry_origin,
    if(v.all_hits = 0, '', v.first_entry[2]) AS entry_page,
    if(v.all_hits = 0, '', v.last_exit[1]) AS exit_origin,
    if(v.all_hits = 0, '', v.last_exit[2]) AS exit_page,
    v.first_address AS address,
    v.n_hits AS hits,
    v.n_events AS events,
    v.n_transactions AS transactions,
    v.n_signatures AS signatures,
    v.n_connects AS connects,
    v.own_chains AS chains,
    v.own_rdns_names AS rdns_names,
    v.own_addresses AS addresses,
    v.own_pages AS pages,
    v.sum_revenue AS revenue,
    v.sum_volume AS volume,
    v.sum_points AS points,
    {touch:Expression},
    v.first_paid[1] AS paid_source,
    v.first_rank AS touch_rank,
    v.first_entry_rank AS entry_rank,
    v.last_exit_rank AS exit_rank,
    v.first_address_rank AS address_rank,
    v.first_paid_rank AS paid_rank,
    v.n_engagements AS engagements,
    v.gap_starts AS gap_starts,
    v.gap_ends AS gap_ends,
    v.first_paid[2] AS click_id{more:Expression}
FROM {whole:Relation} AS v
