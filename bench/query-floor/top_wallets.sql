-- Scan floor of top_wallets.
SELECT project_id, rdns, count(DISTINCT session) AS sessions, count(DISTINCT visitor) AS visitors
FROM events
WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date} AND rdns != ''
GROUP BY project_id, rdns
ORDER BY visitors DESC, sessions DESC, rdns, project_id
LIMIT 50
