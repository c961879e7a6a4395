-- The tables of users' statements, in the dialect of users: they pass the same check, in which the names of earlier parts
-- and `project_events` and `project_sessions`, the rows of one project, are tables. Columns as in tables.json.

-- name: events_with_page
-- Events and what their context and the URL of their page say. Click ids: the client's own value, else the URL's.
SELECT
    e.*,
    if(JSONExtractString(e.context, 'page_url') = '' AND e.type = 'page', JSONExtractString(e.properties, 'url'), JSONExtractString(e.context, 'page_url')) AS page_url,
    if(JSONExtractString(e.context, 'gclid') = '', extractURLParameter(JSONExtractString(e.context, 'page_url'), 'gclid'), JSONExtractString(e.context, 'gclid')) AS gclid,
    if(JSONExtractString(e.context, 'gad_source') = '', extractURLParameter(JSONExtractString(e.context, 'page_url'), 'gad_source'), JSONExtractString(e.context, 'gad_source')) AS gad_source,
    if(JSONExtractString(e.context, 'fbclid') = '', extractURLParameter(JSONExtractString(e.context, 'page_url'), 'fbclid'), JSONExtractString(e.context, 'fbclid')) AS fbclid,
    if(JSONExtractString(e.context, 'msclkid') = '', extractURLParameter(JSONExtractString(e.context, 'page_url'), 'msclkid'), JSONExtractString(e.context, 'msclkid')) AS msclkid,
    if(JSONExtractString(e.context, 'ttclid') = '', extractURLParameter(JSONExtractString(e.context, 'page_url'), 'ttclid'), JSONExtractString(e.context, 'ttclid')) AS ttclid,
    if(JSONExtractString(e.context, 'twclid') = '', extractURLParameter(JSONExtractString(e.context, 'page_url'), 'twclid'), JSONExtractString(e.context, 'twclid')) AS twclid,
    if(JSONExtractString(e.context, 'li_fat_id') = '', extractURLParameter(JSONExtractString(e.context, 'page_url'), 'li_fat_id'), JSONExtractString(e.context, 'li_fat_id')) AS li_fat_id,
    if(JSONExtractString(e.context, 'rdt_cid') = '', extractURLParameter(JSONExtractString(e.context, 'page_url'), 'rdt_cid'), JSONExtractString(e.context, 'rdt_cid')) AS rdt_cid
FROM project_events AS e

-- name: events_with_ads
-- The network of an ad and the id of the click. Events of older versions have no paid_source, or no click_id.
SELECT
    p.*,
    multiIf(
        p.paid_source != '', p.paid_source,
        p.gclid != '' OR p.gad_source != '', 'google',
        p.fbclid != '', 'meta',
        p.msclkid != '', 'microsoft',
        p.ttclid != '', 'tiktok',
        p.twclid != '', 'twitter',
        p.li_fat_id != '', 'linkedin',
        p.rdt_cid != '', 'reddit',
        lower(p.utm_medium) IN ('cpc', 'cpm', 'cpv', 'cpa', 'ppc', 'sem', 'retargeting') OR startsWith(lower(p.utm_medium), 'paid'), 'paid_utm',
        '') AS ad_source,
    multiIf(
        p.click_id != '', p.click_id,
        p.gclid != '', p.gclid,
        p.fbclid != '', p.fbclid,
        p.msclkid != '', p.msclkid,
        p.ttclid != '', p.ttclid,
        p.twclid != '', p.twclid,
        p.li_fat_id != '', p.li_fat_id,
        p.rdt_cid != '', p.rdt_cid,
        '') AS ad_click_id
FROM events_with_page AS p

-- name: events
SELECT
    toString(e.session) AS session_id,
    e.channel AS channel,
    e.type AS type,
    e.anonymous_id AS anonymous_id,
    e.user_id AS user_id,
    e.address AS address,
    e.event AS event,
    e.context AS context,
    e.properties AS properties,
    e.version AS version,
    toDateTime64(e.timestamp, 3) AS timestamp,
    e.message_id AS message_id,
    e.origin AS origin,
    JSONExtractString(e.context, 'locale') AS locale,
    e.location AS location,
    JSONExtractString(e.context, 'timezone') AS timezone,
    e.pathname AS page_path,
    JSONExtractString(e.context, 'page_title') AS page_title,
    e.page_url AS page_url,
    JSONExtractString(e.context, 'page_query') AS page_query,
    JSONExtractString(e.context, 'page_hash') AS page_hash,
    JSONExtractString(e.context, 'library_name') AS library_name,
    JSONExtractString(e.context, 'library_version') AS library_version,
    e.referrer_url AS referrer_url,
    e.referrer AS referrer,
    e.ref AS ref,
    e.utm_source AS utm_source,
    e.utm_medium AS utm_medium,
    e.utm_campaign AS utm_campaign,
    e.utm_term AS utm_term,
    e.utm_content AS utm_content,
    e.gclid AS gclid,
    e.gad_source AS gad_source,
    e.fbclid AS fbclid,
    e.msclkid AS msclkid,
    e.ttclid AS ttclid,
    e.twclid AS twclid,
    e.li_fat_id AS li_fat_id,
    e.rdt_cid AS rdt_cid,
    e.builder_codes AS builder_codes,
    JSONExtractString(e.context, 'user_agent') AS user_agent,
    e.device AS device,
    e.browser AS browser,
    e.os AS os,
    e.volume AS volume,
    e.revenue AS revenue,
    e.points AS points,
    e.acquisition AS channel_type,
    e.chain_id AS chain_id,
    e.rdns AS rdns,
    e.provider_name AS provider_name,
    e.ad_source AS paid_source,
    toDateTime64(e.received_at, 3) AS received_at
FROM events_with_ads AS e

-- name: sessions
-- One visitor of a session holds its first touch; page views of the others, if there are any, are added.
SELECT
    s.origin AS origin,
    toString(s.session) AS session_id,
    s.day AS date,
    s.device AS device,
    s.browser AS browser,
    s.os AS os,
    s.location AS location,
    s.referrer AS referrer,
    s.referrer_url AS referrer_url,
    s.ref AS ref,
    s.utm_medium AS utm_medium,
    s.utm_source AS utm_source,
    s.utm_campaign AS utm_campaign,
    s.utm_content AS utm_content,
    s.utm_term AS utm_term,
    s.channel AS channel_type,
    s.paid_source AS paid_source,
    s.click_id AS click_id,
    toDateTime64(s.started_at, 3) AS first_hit,
    toDateTime64(s.ended_at, 3) AS latest_hit,
    toUInt64(s.hits + coalesce(o.hits, 0)) AS hits
FROM project_sessions AS s
LEFT JOIN (
    SELECT t.day AS day, t.session AS session, sum(t.hits) AS hits FROM project_sessions AS t WHERE NOT t.is_first GROUP BY t.day, t.session
) AS o ON o.day = s.day AND o.session = s.session
WHERE s.is_first

-- name: first_and_last
-- Of a user, wallet or not: the first and last values, and sums.
min(e.timestamp) AS first_seen,
max(e.timestamp) AS last_seen,
coalesce(argMinIf(e.utm_source, e.timestamp, e.utm_source != ''), '') AS first_utm_source,
coalesce(argMaxIf(e.utm_source, e.timestamp, e.utm_source != ''), '') AS last_utm_source,
coalesce(argMinIf(e.utm_medium, e.timestamp, e.utm_medium != ''), '') AS first_utm_medium,
coalesce(argMaxIf(e.utm_medium, e.timestamp, e.utm_medium != ''), '') AS last_utm_medium,
coalesce(argMinIf(e.utm_campaign, e.timestamp, e.utm_campaign != ''), '') AS first_utm_campaign,
coalesce(argMaxIf(e.utm_campaign, e.timestamp, e.utm_campaign != ''), '') AS last_utm_campaign,
coalesce(argMinIf(e.utm_content, e.timestamp, e.utm_content != ''), '') AS first_utm_content,
coalesce(argMaxIf(e.utm_content, e.timestamp, e.utm_content != ''), '') AS last_utm_content,
coalesce(argMinIf(e.utm_term, e.timestamp, e.utm_term != ''), '') AS first_utm_term,
coalesce(argMaxIf(e.utm_term, e.timestamp, e.utm_term != ''), '') AS last_utm_term,
coalesce(argMinIf(e.referrer, e.timestamp, e.referrer != ''), '') AS first_referrer,
coalesce(argMaxIf(e.referrer, e.timestamp, e.referrer != ''), '') AS last_referrer,
coalesce(argMinIf(e.referrer_url, e.timestamp, e.referrer_url != ''), '') AS first_referrer_url,
coalesce(argMaxIf(e.referrer_url, e.timestamp, e.referrer_url != ''), '') AS last_referrer_url,
coalesce(argMinIf(e.ref, e.timestamp, e.ref != ''), '') AS first_ref,
coalesce(argMaxIf(e.ref, e.timestamp, e.ref != ''), '') AS last_ref,
coalesce(argMinIf(e.builder_codes, e.timestamp, e.builder_codes != ''), '') AS first_builder_codes,
coalesce(argMaxIf(e.builder_codes, e.timestamp, e.builder_codes != ''), '') AS last_builder_codes,
coalesce(argMinIf(e.ad_source, e.timestamp, e.ad_source != ''), '') AS first_paid_source,
coalesce(argMaxIf(e.ad_source, e.timestamp, e.ad_source != ''), '') AS last_paid_source,
coalesce(argMinIf(e.ad_click_id, e.timestamp, e.ad_click_id != ''), '') AS first_click_id,
coalesce(argMaxIf(e.ad_click_id, e.timestamp, e.ad_click_id != ''), '') AS last_click_id,
uniqExact(e.session) AS num_sessions,
sum(e.revenue) AS revenue,
sum(e.volume) AS volume,
sum(e.points) AS points

-- name: last_known
argMax(e.type, e.timestamp) AS last_type,
argMax(e.event, e.timestamp) AS last_event,
argMax(e.properties, e.timestamp) AS last_properties,
coalesce(argMaxIf(e.location, e.timestamp, e.location != ''), '') AS location,
coalesce(argMaxIf(e.device, e.timestamp, e.device != ''), '') AS device,
coalesce(argMaxIf(e.browser, e.timestamp, e.browser != ''), '') AS browser,
coalesce(argMaxIf(e.os, e.timestamp, e.os != ''), '') AS os,
groupUniqArray(e.day) AS activity_dates

-- name: users
SELECT
    e.address AS address,
    {first_and_last:Expression},
    groupUniqArrayIf(e.provider_name, e.provider_name != '') AS wallets_state,
    {last_known:Expression}
FROM events_with_ads AS e
WHERE e.address != ''
GROUP BY e.address

-- name: anonymous_users
SELECT
    e.anonymous_id AS anonymous_id,
    {first_and_last:Expression},
    {last_known:Expression}
FROM events_with_ads AS e
WHERE e.anonymous_id != ''
GROUP BY e.anonymous_id

-- name: sources
SELECT
    s.day AS date,
    s.origin AS origin,
    s.referrer AS referrer,
    s.referrer_url AS referrer_url,
    s.device AS device,
    s.browser AS browser,
    s.os AS os,
    s.location AS location,
    s.ref AS ref,
    s.utm_medium AS utm_medium,
    s.utm_source AS utm_source,
    s.utm_campaign AS utm_campaign,
    s.utm_content AS utm_content,
    s.utm_term AS utm_term,
    countIf(s.is_first) AS visits,
    uniqExact(s.visitor) AS users,
    toUInt64(sum(s.hits)) AS hits
FROM project_sessions AS s
GROUP BY s.day, s.origin, s.referrer, s.referrer_url, s.device, s.browser, s.os, s.location, s.ref,
    s.utm_medium, s.utm_source, s.utm_campaign, s.utm_content, s.utm_term

-- name: revenue
SELECT
    e.origin AS origin,
    e.pathname AS pathname,
    e.day AS date,
    e.device AS device,
    e.browser AS browser,
    e.os AS os,
    e.location AS location,
    e.referrer_url AS referrer_url,
    e.referrer AS referrer,
    e.ref AS ref,
    e.utm_medium AS utm_medium,
    e.utm_source AS utm_source,
    e.utm_campaign AS utm_campaign,
    e.utm_content AS utm_content,
    e.utm_term AS utm_term,
    e.builder_codes AS builder_codes,
    e.gclid AS gclid,
    e.gad_source AS gad_source,
    e.fbclid AS fbclid,
    e.msclkid AS msclkid,
    e.ttclid AS ttclid,
    e.twclid AS twclid,
    e.li_fat_id AS li_fat_id,
    e.rdt_cid AS rdt_cid,
    e.event AS event,
    e.rdns AS rdns,
    e.provider_name AS provider_name,
    e.chain_id AS chain_id,
    e.volume AS volume,
    e.revenue AS revenue,
    e.points AS points,
    e.acquisition AS channel_type
FROM events_with_page AS e
WHERE e.revenue != 0 OR e.volume != 0 OR e.points != 0

-- name: identities
SELECT
    toString(e.session) AS session_id,
    e.anonymous_id AS anonymous_id,
    e.address AS address,
    e.user_id AS user_id,
    toDateTime64(min(e.timestamp), 3) AS first_seen
FROM project_events AS e
GROUP BY e.session, e.anonymous_id, e.address, e.user_id
