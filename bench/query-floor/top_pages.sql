-- Scan floor of top_pages.
SELECT
    project_id,
    origin,
    pathname,
    count(*) AS hits,
    count(DISTINCT session) AS sessions,
    count(DISTINCT visitor) AS visitors
FROM events
WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date} AND type = 'page'
GROUP BY project_id, origin, pathname
ORDER BY visitors DESC, sessions DESC, hits DESC, origin, pathname, project_id
LIMIT 50
