-- Newly stored events, by the time of their receipt. `arrivals` is a relation of the engine (engines/relations.ts).

-- name: keys
SELECT toString(a.dedupe_key) AS event_key, toUnixTimestamp64Milli(a.received_at) AS received_ms
FROM arrivals AS a
WHERE {bots:Condition}
ORDER BY a.received_at DESC, a.dedupe_key DESC
LIMIT {limit:UInt32}

-- name: events
SELECT
    toString(a.dedupe_key) AS event_key,
    toUnixTimestamp64Milli(a.received_at) AS received_ms,
    toUnixTimestamp64Milli(a.timestamp) AS at_ms,
    a.project_id AS project_id,
    a.type AS type,
    a.event AS event,
    a.origin AS origin,
    a.pathname AS page_path,
    a.referrer AS referrer,
    a.location AS location,
    a.device AS device,
    a.browser AS browser,
    a.os AS os,
    a.address AS address,
    a.chain_id AS chain_id,
    a.revenue AS revenue,
    a.volume AS volume,
    substringUTF8(a.anonymous_id, 1, 8) AS visitor
FROM arrivals AS a
WHERE a.dedupe_key IN {keys:Array(UInt64)}
