-- Activity by weekday (1 is Monday; 1970-01-01 was a Thursday) and hour, as clocks of the time zone show them.

-- name: clean
SELECT
    r.project_id AS project_id,
    (toInt64(r.day - toDate('1970-01-01')) + 3) % 7 + 1 AS weekday,
    toInt64(r.value) AS hour,
    r.hits AS n_hits,
    r.events AS n_events,
    r.sessions AS n_sessions
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = 'hour'

-- name: counted
SELECT
    project_id,
    (toInt64(day - toDate('1970-01-01')) + 3) % 7 + 1 AS weekday,
    intDiv({wall_ms:Expression} % 86400000, 3600000) AS hour,
    toInt64(sum(if(type = 'page', 1, 0))) AS n_hits,
    toInt64(count()) AS n_events,
    toInt64(uniqExact(session)) AS n_sessions
FROM {passed:Relation}
GROUP BY project_id, weekday, hour

-- name: counts
SELECT project_id, weekday, hour, sum(n_hits) AS hits, sum(n_events) AS all_events, sum(n_sessions) AS sessions
FROM
(
    {every:Relation}
) AS every
GROUP BY project_id, weekday, hour
