-- Rows of builds that another one has replaced, or that never came to an end. Whoever asked before still reads the old build, so
-- what is young stays.
DELETE FROM {table:Identifier}
WHERE build < {before:UInt64}
    AND (project_id, day, build) NOT IN (SELECT project_id, day, max(build) FROM closed_days GROUP BY project_id, day)
