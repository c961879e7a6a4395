-- Events by day and key, over all projects. Only the most frequent keys of the window have rows of their own.

-- name: clean
SELECT r.day AS day, substring(r.dimension, 7) AS type, r.value AS event, r.hits AS n
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension >= 'event ' AND r.dimension < 'event!'

-- name: keyed
SELECT day AS date, {key:Expression} AS event_key, {n:Expression} AS n
FROM {passed:Relation}
WHERE type NOT IN {exclude:Array(String)}

-- name: keyed_sessions
-- As `keyed`, where nothing is asked about single events: sessions know the number of their events.
SELECT v.day AS date, {key:Expression} AS event_key, toInt64(v.events) AS n
FROM sessions AS v {v:InScope}
WHERE {v:KeptWindow}
    AND {bots:Condition}
    AND {session_filter:Condition}

-- name: daily
SELECT date, event_key, sum(n) AS n_events
FROM
(
    {every:Relation}
) AS every
GROUP BY date, event_key

-- name: top
SELECT event_key
FROM daily
GROUP BY event_key
ORDER BY sum(n_events) DESC, event_key
LIMIT {keys:UInt32}

-- name: counts
SELECT date, shown_key, sum(n_events) AS n
FROM
(
    SELECT date, if(event_key IN (SELECT event_key FROM top), event_key, 'Others') AS shown_key, n_events
    FROM daily
) AS shown
GROUP BY date, shown_key
