-- The keys of events' properties, for people who choose one.

-- name: found
SELECT
    arrayJoin(arrayDistinct(JSONExtractKeys(v.properties))) AS name,
    v.properties AS properties,
    v.timestamp AS timestamp
FROM events AS v {v:InScope}
WHERE {v:KeptWindow}
    AND ({type:String} = '' OR v.type = {type:String})
    AND ({event:String} = '' OR v.event = {event:String})
    AND {bots:Condition}

-- name: answer
-- One value is taken out of the newest event alone: out of every event it costs as much as the keys themselves.
SELECT name, n_events, substringUTF8(JSONExtractString(newest, name), 1, {example_chars:UInt32}) AS example
FROM
(
    SELECT name, count() AS n_events, argMax(properties, (timestamp, properties)) AS newest
    FROM found
    WHERE name != '' AND lengthUTF8(name) <= {name_chars:UInt32}
    GROUP BY name
) AS counted
ORDER BY n_events DESC, name
LIMIT {limit:UInt32}
