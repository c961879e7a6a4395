-- The rows of some projects and days as they are stored, one of each key.
SELECT *
FROM /*table*/ FINAL
WHERE (project_id, /*day*/) IN {keys:Array(Tuple(String, Date))} AND cityHash64(/*spread*/) % {parts:UInt32} = {part:UInt32}
