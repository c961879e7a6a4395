-- The keys of events' properties, for people who choose one.

-- name: shapes
-- By their lists of keys, of which there are few: counted for each key of each event they took three times as long.
SELECT
    JSONExtractKeys(v.properties) AS property_names,
    count() AS n_events,
    argMax(v.properties, (v.timestamp, v.properties)) AS newest,
    max(v.timestamp) AS newest_at
FROM events AS v {v:InScope}
WHERE {v:KeptWindow}
    AND ({type:String} = '' OR v.type = {type:String})
    AND ({event:String} = '' OR v.event = {event:String})
    AND {bots:Condition}
GROUP BY property_names

-- name: found
SELECT arrayJoin(arrayDistinct(property_names)) AS name, n_events AS n_shape, newest AS of_shape, newest_at
FROM shapes

-- name: answer
-- One value is taken out of the newest event alone: out of every event it costs as much as the keys themselves.
SELECT name, n_events, substringUTF8(JSONExtractString(newest, name), 1, {example_chars:UInt32}) AS example
FROM
(
    SELECT name, sum(n_shape) AS n_events, argMax(of_shape, (newest_at, of_shape)) AS newest
    FROM found
    WHERE name != '' AND lengthUTF8(name) <= {name_chars:UInt32}
    GROUP BY name
) AS counted
ORDER BY n_events DESC, name
LIMIT {limit:UInt32}
