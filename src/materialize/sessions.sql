-- name: parts_of_events
-- An event as a part of its session. `touch_rank` orders events by time. Events that know their page or how the visitor
-- arrived come before all others; events of the same time have a fixed order: 1 bit, 43 bits of time, 20 bits of the
-- dedupe key. The first touch is the event with the lowest rank.
SELECT
    e.project_id AS project_id,
    e.day AS day,
    e.session AS session,
    e.visitor AS visitor,
    if(e.has_touch = 0, toUInt64(9223372036854775808), toUInt64(0))
        + toUInt64(toUnixTimestamp64Milli(e.timestamp)) * 1048576
        + e.dedupe_key % 1048576 AS touch_rank,
    e.timestamp AS started_at,
    e.timestamp AS ended_at,
    if(e.type = 'page', 1, 0) AS hits,
    1 AS events,
    if(e.type IN ('connect', 'transaction', 'track', 'decoded_log'), 1, 0) AS engagements,
    if(e.type = 'page', e.timestamp, fromUnixTimestamp64Milli(toInt64(4102444800000))) AS entry_at,
    if(e.type = 'page', e.pathname, '') AS entry_page,
    if(e.type = 'page', e.timestamp, fromUnixTimestamp64Milli(toInt64(0))) AS exit_at,
    if(e.type = 'page', e.pathname, '') AS exit_page,
    if(e.address != '', e.timestamp, fromUnixTimestamp64Milli(toInt64(4102444800000))) AS address_at,
    e.address AS address,
    if(e.chain_id = '', [], [e.chain_id]) AS chains,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS revenue,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS volume,
    toInt128(floor(e.points * 1e9 + 0.5)) AS points,
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

-- name: parts_of_sessions
-- An existing row of a session as a part of it. Only the row with `is_first` has a rank: it holds the first touch.
SELECT
    k.project_id AS project_id,
    k.day AS day,
    k.session AS session,
    k.visitor AS visitor,
    if(k.is_first, k.touch_rank, toUInt64(18446744073709551615)) AS touch_rank,
    k.started_at AS started_at,
    k.ended_at AS ended_at,
    k.hits AS hits,
    k.events AS events,
    k.engagements AS engagements,
    k.entry_at AS entry_at,
    k.entry_page AS entry_page,
    k.exit_at AS exit_at,
    k.exit_page AS exit_page,
    k.address_at AS address_at,
    k.address AS address,
    k.chains AS chains,
    k.revenue AS revenue,
    k.volume AS volume,
    k.points AS points,
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
-- The columns of a whole session. A session is a bounce when it has at most one page view, no event that shows
-- interest, and lasts less than ten seconds.
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    min(p.touch_rank) AS first_rank,
    argMin(p.visitor, p.touch_rank) AS first_visitor,
    min(p.started_at) AS started_at,
    max(p.ended_at) AS ended_at,
    sum(p.hits) <= 1
        AND sum(p.engagements) = 0
        AND toUnixTimestamp64Milli(max(p.ended_at)) - toUnixTimestamp64Milli(min(p.started_at)) < 10000 AS is_bounce,
    min(p.entry_at) AS first_entry_at,
    argMin(p.entry_page, (p.entry_at, p.entry_page)) AS entry_page,
    max(p.exit_at) AS last_exit_at,
    argMax(p.exit_page, (p.exit_at, p.exit_page)) AS exit_page,
    min(p.address_at) AS first_address_at,
    argMin(p.address, (p.address_at, p.address)) AS address,
    argMin(p.referrer, p.touch_rank) AS referrer,
    argMin(p.referrer_url, p.touch_rank) AS referrer_url,
    argMin(p.ref, p.touch_rank) AS ref,
    argMin(p.utm_source, p.touch_rank) AS utm_source,
    argMin(p.utm_medium, p.touch_rank) AS utm_medium,
    argMin(p.utm_campaign, p.touch_rank) AS utm_campaign,
    argMin(p.utm_term, p.touch_rank) AS utm_term,
    argMin(p.utm_content, p.touch_rank) AS utm_content,
    argMin(p.channel, p.touch_rank) AS channel,
    argMin(p.origin, p.touch_rank) AS origin,
    argMin(p.pathname, p.touch_rank) AS pathname,
    argMin(p.builder_codes, p.touch_rank) AS builder_codes,
    argMin(p.device, p.touch_rank) AS device,
    argMin(p.browser, p.touch_rank) AS browser,
    argMin(p.os, p.touch_rank) AS os,
    argMin(p.location, p.touch_rank) AS location,
    argMin(p.rdns, p.touch_rank) AS rdns,
    argMin(p.provider_name, p.touch_rank) AS provider_name,
    argMin(p.chain_id, p.touch_rank) AS chain_id
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
    groupUniqArrayArray(p.chains) AS own_chains,
    sum(p.revenue) AS sum_revenue,
    sum(p.volume) AS sum_volume,
    sum(p.points) AS sum_points
FROM parts AS p
GROUP BY p.project_id, p.day, p.session, p.visitor

-- name: sessions
-- THE definition of a session: the events of one project, UTC day and session, as rows of `sessions`, one per visitor.
SELECT
    v.project_id AS project_id,
    v.day AS day,
    v.session AS session,
    v.visitor AS visitor,
    v.visitor = s.first_visitor AS is_first,
    s.started_at AS started_at,
    s.ended_at AS ended_at,
    v.n_hits AS hits,
    v.n_events AS events,
    s.is_bounce AS is_bounce,
    s.entry_page AS entry_page,
    s.exit_page AS exit_page,
    s.address AS address,
    v.own_chains AS chains,
    v.sum_revenue AS revenue,
    v.sum_volume AS volume,
    v.sum_points AS points,
    s.referrer AS referrer,
    s.referrer_url AS referrer_url,
    s.ref AS ref,
    s.utm_source AS utm_source,
    s.utm_medium AS utm_medium,
    s.utm_campaign AS utm_campaign,
    s.utm_term AS utm_term,
    s.utm_content AS utm_content,
    s.channel AS channel,
    s.origin AS origin,
    s.pathname AS pathname,
    s.builder_codes AS builder_codes,
    s.device AS device,
    s.browser AS browser,
    s.os AS os,
    s.location AS location,
    s.rdns AS rdns,
    s.provider_name AS provider_name,
    s.chain_id AS chain_id,
    s.first_rank AS touch_rank,
    s.first_entry_at AS entry_at,
    s.last_exit_at AS exit_at,
    s.first_address_at AS address_at,
    v.n_engagements AS engagements
FROM of_visitor AS v
INNER JOIN of_session AS s ON s.project_id = v.project_id AND s.day = v.day AND s.session = v.session
