-- Sessions of all days that a report reads, after its filters, for reports that follow users over several events.

-- name: kept
SELECT v.project_id AS project_id, v.session AS session
FROM sessions AS v {v:InScope}
WHERE {v:Projects}
    AND v.day BETWEEN {read_from:Date} AND {read_to:Date}
    AND v.day >= s.first_day
    AND v.is_first
    AND {bots:Condition}
    AND {session_filter:Condition}

-- name: left_out
-- The sessions of bots, where nothing else is filtered: they are few, and to look for each event's session among the
-- others took a fifth of a funnel's time.
SELECT v.project_id AS project_id, v.session AS session
FROM sessions AS v {v:InScope}
WHERE {v:Projects}
    AND v.day BETWEEN {read_from:Date} AND {read_to:Date}
    AND v.is_first
    AND NOT ({bots:Condition})

-- name: matching
-- Sessions with an event that matches all event filters. The session hash includes the day.
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE {e:Projects}
    AND e.day BETWEEN {read_from:Date} AND {read_to:Date}
    AND {event_filter:Condition}

-- name: kept_by_events
SELECT project_id, session
FROM kept
WHERE (project_id, session) IN (SELECT project_id, session FROM matching)
