-- How many events there are of each partition, to be read in pieces that each take a few seconds.
SELECT project_id, day, count() AS n_rows
FROM events
GROUP BY project_id, day
ORDER BY project_id, day
