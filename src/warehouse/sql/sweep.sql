-- The rows of builds that count no more.
DELETE FROM {table:Identifier}
WHERE (project_id, day, build) IN {builds:Array(Tuple(String, Date, UInt64))}
