-- Newly stored events of alerts. `written` and `arrivals` are relations of the engine (engines/relations.ts).

-- name: counts
SELECT w.project_id AS project_id, w.minute_ms AS minute_ms, w.events AS events
FROM written AS w

-- name: page
-- What conditions read, in the order of receipt.
SELECT
    toString(a.dedupe_key) AS event_key,
    toUnixTimestamp64Milli(a.received_at) AS received_ms,
    a.channel AS channel,
    a.type AS type,
    a.event AS event,
    a.address AS address,
    a.user_id AS user_id,
    a.anonymous_id AS anonymous_id,
    a.location AS location,
    a.device AS device,
    a.browser AS browser,
    a.os AS os,
    a.referrer AS referrer
FROM arrivals AS a
WHERE a.received_at < fromUnixTimestamp64Milli({until_ms:Int64})
    AND (
        a.received_at > fromUnixTimestamp64Milli({after_ms:Int64})
        OR (a.received_at = fromUnixTimestamp64Milli({after_ms:Int64}) AND a.dedupe_key > {after_key:UInt64})
    )
ORDER BY a.received_at, a.dedupe_key
LIMIT {limit:UInt32}

-- name: items
-- Whole events, for messages.
SELECT
    toString(a.dedupe_key) AS event_key,
    toUnixTimestamp64Milli(a.received_at) AS received_ms,
    toUnixTimestamp64Milli(a.timestamp) AS at_ms,
    toString(a.session) AS session_id,
    a.project_id AS project_id,
    a.message_id AS message_id,
    a.channel AS channel,
    a.type AS type,
    a.event AS event,
    a.version AS version,
    a.anonymous_id AS anonymous_id,
    a.user_id AS user_id,
    a.address AS address,
    a.origin AS origin,
    a.pathname AS page_path,
    a.referrer AS referrer,
    a.referrer_url AS referrer_url,
    a.ref AS ref,
    a.utm_source AS utm_source,
    a.utm_medium AS utm_medium,
    a.utm_campaign AS utm_campaign,
    a.utm_term AS utm_term,
    a.utm_content AS utm_content,
    a.device AS device,
    a.browser AS browser,
    a.os AS os,
    a.location AS location,
    a.rdns AS rdns,
    a.provider_name AS provider_name,
    a.chain_id AS chain_id,
    a.builder_codes AS builder_codes,
    a.volume AS volume,
    a.revenue AS revenue,
    a.points AS points,
    a.acquisition AS channel_type,
    a.paid_source AS paid_source,
    a.context AS context,
    a.properties AS properties
FROM arrivals AS a
WHERE a.received_at < fromUnixTimestamp64Milli({until_ms:Int64})
    AND a.dedupe_key IN {keys:Array(UInt64)}
