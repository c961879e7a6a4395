-- The number of events per partition, to plan pieces that take a few seconds each.
SELECT project_id, day, count() AS n_rows
FROM events
GROUP BY project_id, day
ORDER BY project_id, day
