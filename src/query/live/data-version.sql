-- What tells whether events were stored since: how many of the last minutes there are, and when the newest was received.
-- `arrivals` is a relation of the engine (engines/relations.ts).

-- name: version
SELECT count() AS n_events, max(toUnixTimestamp64Milli(a.received_at)) AS newest_ms
FROM arrivals AS a
