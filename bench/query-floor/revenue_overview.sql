-- Scan floor of revenue_overview. The amounts of the benchmark are whole cents.
SELECT
    day AS date,
    project_id,
    CAST(sum(CAST(round(revenue * 100) AS BIGINT)) AS BIGINT) / 100 AS revenue,
    CAST(sum(CAST(round(volume * 100) AS BIGINT)) AS BIGINT) / 100 AS volume
FROM events
WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
GROUP BY day, project_id
ORDER BY date, project_id
