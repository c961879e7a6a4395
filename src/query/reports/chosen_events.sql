-- Events that match the filters, for reports that count single events. `value` is a column of the session's first touch.

-- name: chosen
-- Sessions that match the session filters.
SELECT v.project_id AS project_id, v.session AS session, {value:Expression} AS value
FROM sessions AS v {v:InScope}
WHERE {v:KeptWindow}
    AND v.is_first
    AND {bots:Condition}
    AND {session_filter:Condition}

-- name: passed
-- Their events that match the event filters. The session hash includes the day.
SELECT
    e.project_id AS project_id,
    e.day AS day,
    toUnixTimestamp64Milli(e.timestamp) AS at_ms,
    e.session AS session,
    e.type AS type,
    e.event AS event,
    c.value AS value
FROM events AS e
INNER JOIN chosen AS c ON c.project_id = e.project_id AND c.session = e.session
WHERE {e:Window}
    AND {event_filter:Condition}

-- name: dirty_bots
-- Sessions that are left out, of dirty partitions. They are fewer than the others.
SELECT v.project_id AS project_id, v.session AS session
FROM sessions AS v {v:InScope}
WHERE {v:Projects}
    AND v.project_id IN {without_bots:Array(String)}
    AND {v:KeptDays}
    AND v.day >= s.dirty_from
    AND v.device = 'bot'

-- name: passed_alone
-- As `passed`, where nothing is asked about sessions.
SELECT
    e.project_id AS project_id,
    e.day AS day,
    toUnixTimestamp64Milli(e.timestamp) AS at_ms,
    e.session AS session,
    e.type AS type,
    e.event AS event,
    '' AS value
FROM {from:Relation} AS e {e:InScope}
WHERE {e:KeptWindow}
    AND {read:Condition}
    AND {event_filter:Condition}
