-- Scan floor of top_chains without filters: it counts distinct session ids and builds no sessions.
SELECT project_id, chain_id, count(DISTINCT session) AS sessions, count(DISTINCT visitor) AS visitors
FROM events
WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date} AND chain_id != ''
GROUP BY project_id, chain_id
ORDER BY visitors DESC, sessions DESC, chain_id, project_id
LIMIT 50
