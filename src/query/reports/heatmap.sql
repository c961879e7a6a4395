-- Activity by weekday (1 is Monday; 1970-01-01 was a Thursday) and hour, in UTC.

-- name: counts
SELECT
    project_id,
    (toInt64(day - toDate('1970-01-01')) + 3) % 7 + 1 AS weekday,
    intDiv(at_ms % 86400000, 3600000) AS hour,
    sum(if(type = 'page', 1, 0)) AS hits,
    count() AS n_events,
    uniqExact(session) AS sessions
FROM {passed:Relation}
GROUP BY project_id, weekday, hour
