-- Sessions with an event whose page meets the filters on the page. The session hash includes the day.

-- name: viewed
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE {e:Window}
    AND {page_filter:Condition}
