-- Scan floor of top_chains without filters: it needs no sessions, only their numbers.
SELECT project_id, chain_id, uniqExact(session) AS sessions, uniqExact(visitor) AS visitors
FROM events FINAL
WHERE project_id IN {projects:Array(String)}
    AND day BETWEEN {first_day:Date} - 1 AND {last_day:Date} + 1
    AND toDate(timestamp) BETWEEN {first_day:Date} AND {last_day:Date}
    AND chain_id != ''
GROUP BY project_id, chain_id
ORDER BY visitors DESC, sessions DESC, chain_id, project_id
LIMIT 50
