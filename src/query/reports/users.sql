-- The users of a report: wallets, or visitors. `user_key` is a wallet address or a visitor.

-- name: visits
-- Their sessions.
SELECT v.project_id AS project_id, {user_of_session:Expression} AS user_key, v.day AS day, v.session AS session
FROM sessions AS v {v:InScope}
WHERE {v:Projects}
    AND v.day BETWEEN {from_day:Expression} AND {to_day:Expression}
    AND v.day >= s.first_day
    AND {has_user:Condition}
    AND {bots:Condition}

-- name: matching
-- Sessions with an event that matches all event filters. The session hash includes the day.
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE {e:Projects}
    AND e.day BETWEEN {from_day:Expression} AND {to_day:Expression}
    AND {event_filter:Condition}

-- name: found
-- Users with a session that matches the filters.
SELECT DISTINCT v.project_id AS project_id, {user_of_session:Expression} AS user_key
FROM sessions AS v {v:InScope}
WHERE {v:Projects}
    AND v.day BETWEEN {from_day:Expression} AND {to_day:Expression}
    AND v.day >= s.first_day
    AND {has_user:Condition}
    AND {bots:Condition}
    AND {session_filter:Condition}
    AND {is_matching:Condition}

-- name: people
-- Sessions that do not exclude bots.
SELECT v.project_id AS project_id, v.session AS session
FROM sessions AS v
WHERE {v:Projects} AND v.day <= {to_day:Expression} AND v.is_first AND {bots:Condition}

-- name: first_events
SELECT e.project_id AS project_id, {user_of_event:Expression} AS user_key, min(toUnixTimestamp64Milli(e.timestamp)) AS first_ms
FROM events AS e {e:InScope}
WHERE {e:Projects}
    AND e.day <= {to_day:Expression}
    AND e.day >= s.first_day
    AND {is_users:Condition}
    AND {is_person:Condition}
GROUP BY e.project_id, {user_of_event:Expression}

-- name: deeds
-- Users whose events add up to what is asked: sums, and numbers of events.
SELECT project_id, user_key
FROM
(
    SELECT f.project_id AS project_id, f.user_key AS user_key, {measures:Expression}
    FROM events AS e
    INNER JOIN {first_events:Relation} AS f ON f.project_id = e.project_id AND f.user_key = {user_of_event:Expression}
    INNER JOIN scope AS s ON s.project_id = e.project_id
    WHERE {e:Projects}
        AND e.day <= {to_day:Expression}
        AND e.day >= s.first_day
        AND {is_users:Condition}
        AND {is_person:Condition}
    GROUP BY f.project_id, f.user_key
) AS every
WHERE {deeds_filter:Condition}

-- name: chosen
SELECT project_id, user_key, day, session
FROM {visits:Relation}
WHERE {is_chosen:Condition}
