-- Conditions that would fail, or take long, on rows of other projects: their events have text where ours have numbers, and
-- no JSON in their properties. An answer proves that the condition saw our rows only.

-- name: a cast in the list of columns | [{"n":300}]
SELECT count(CAST(user_id AS Int32)) AS n FROM events

-- name: a cast in a condition | [{"n":300}]
SELECT count() AS n FROM events WHERE CAST(user_id AS Int32) >= 0

-- name: a cast behind a comparison | [{"n":300}]
SELECT count() AS n FROM events WHERE type = 'page' AND CAST(user_id AS Int32) >= 0

-- name: a cast before a comparison | [{"n":300}]
SELECT count() AS n FROM events WHERE CAST(user_id AS Int32) >= 0 AND type = 'page'

-- name: a cast in CASE | [{"n":300}]
SELECT count() AS n FROM events WHERE CASE WHEN user_id LIKE 'CANARY%' THEN CAST(user_id AS Int32) ELSE 1 END = 1

-- name: a cast in a join | [{"n":300}]
SELECT count() AS n FROM events a JOIN events b ON a.message_id = b.message_id AND CAST(b.user_id AS Int32) >= 0

-- name: a cast in a group | [{"n":10}]
SELECT count() AS n FROM (SELECT CAST(user_id AS Int32) AS u FROM events GROUP BY u)

-- name: a cast in a semi join | [{"n":300}]
SELECT count() AS n FROM events WHERE CAST(user_id AS Int32) IN (SELECT CAST(user_id AS Int32) FROM events)

-- name: a cast of times | [{"n":300}]
SELECT count() AS n FROM events WHERE toDate(utm_campaign) >= '2000-01-01'

-- name: a number of a JSON text | [{"n":300}]
SELECT count() AS n FROM events WHERE CAST(JSONExtractString(properties, 'amount') AS Int32) >= 0

-- name: a division by zero on other rows | [{"n":300}]
SELECT count() AS n FROM events WHERE 1 / (volume - 424242.25) < 0

-- name: an overflow on other rows | [{"n":300}]
SELECT count() AS n FROM events WHERE toInt64(points * 1000000000000000) >= 0

-- name: a scalar subquery with more than one row | refused
SELECT (SELECT user_id FROM events)

-- name: a cast in users | harmless
SELECT count() FROM users WHERE CAST(last_event AS String) != ''

-- name: a cast in sessions | [{"n":300}]
SELECT count() AS n FROM sessions WHERE CAST(utm_term AS Int32) >= 0

-- name: a cast in sources | [{"n":300}]
SELECT sum(visits) AS n FROM sources WHERE CAST(utm_term AS Int32) >= 0

-- name: a cast in revenue | [{"n":300}]
SELECT count() AS n FROM revenue WHERE CAST(utm_term AS Int32) >= 0

-- name: a cast in identities | [{"n":300}]
SELECT count() AS n FROM identities WHERE CAST(user_id AS Int32) >= 0

-- name: a failing cast tells our own value only | refused
SELECT CAST(event AS Int32) FROM events
