-- Events by type and name. Rollups have a dimension for each type, `event <type>`: a range, by which row groups are skipped.

-- name: clean
SELECT r.project_id AS project_id, substring(r.dimension, 7) AS type, r.value AS event, r.hits AS n_hits
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension >= 'event ' AND r.dimension < 'event!'

-- name: counted
SELECT project_id, type, event, toInt64(count()) AS n_hits
FROM {passed:Relation}
GROUP BY project_id, type, event

-- name: counts
SELECT project_id, type, event, sum(n_hits) AS hits
FROM
(
    {every:Relation}
) AS every
WHERE {kind:Condition}
GROUP BY project_id, type, event
