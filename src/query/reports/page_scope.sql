-- Sessions with an event whose page meets the filters on the page. The session hash includes the day.

-- name: viewed
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE e.project_id IN {projects:Array(String)}
    AND e.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND {page_filter:Condition}
