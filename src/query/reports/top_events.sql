-- Events by type and name.

-- name: counts
SELECT project_id, type, event, count() AS hits
FROM {passed:Relation}
WHERE {kind:Condition}
GROUP BY project_id, type, event
