-- How much there is of each project and day, to be read in pieces that each take a few seconds.
SELECT toString(project_id) AS project, toString(/*day*/) AS rows_day, count() AS n, sum(/*bytes*/) AS bytes
FROM /*table*/
GROUP BY project, rows_day
ORDER BY project, rows_day
