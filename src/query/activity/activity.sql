-- Events, newest first. A page is found by narrow columns, and its rows are read afterwards: an event has about 1 KB of
-- texts.

-- name: places
-- Events before a position, in a part of the window.
SELECT
    e.day AS day,
    toUnixTimestamp64Milli(e.timestamp) AS at_ms,
    toString(e.dedupe_key) AS event_key
FROM events AS e {e:InScope}
WHERE {e:KeptWindow}
    AND e.timestamp >= fromUnixTimestamp64Milli({from_ms:Int64})
    AND e.timestamp <= fromUnixTimestamp64Milli({before_ms:Int64})
    AND (e.timestamp < fromUnixTimestamp64Milli({before_ms:Int64}) OR e.dedupe_key < {before_key:UInt64})
    AND {event_filter:Condition}
ORDER BY e.timestamp DESC, e.dedupe_key DESC
LIMIT {limit:UInt32}

-- name: rows
-- The events of a page. Texts longer than `most_chars` are NULL.
SELECT
    e.project_id AS project_id,
    toUnixTimestamp64Milli(e.timestamp) AS at_ms,
    toString(e.dedupe_key) AS event_key,
    toUnixTimestamp64Milli(e.received_at) AS received_ms,
    toString(e.session) AS session_id,
    {columns:Expression},
    e.pathname AS page_path,
    e.acquisition AS channel_type,
    if(lengthUTF8(e.context) > {most_chars:UInt32}, NULL, e.context) AS context_text,
    if(lengthUTF8(e.properties) > {most_chars:UInt32}, NULL, e.properties) AS properties_text,
    if(lengthUTF8(e.extra) > {most_chars:UInt32}, NULL, e.extra) AS extra_text
FROM events AS e {e:InScope}
WHERE {e:KeptWindow}
    AND e.timestamp >= fromUnixTimestamp64Milli({from_ms:Int64})
    AND e.timestamp <= fromUnixTimestamp64Milli({to_ms:Int64})
    AND e.dedupe_key IN {keys:Array(UInt64)}
ORDER BY e.timestamp DESC, e.dedupe_key DESC
