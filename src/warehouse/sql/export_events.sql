-- The events of a project in a range of days, or one part of them.
SELECT
    {columns:Expression}
FROM events
WHERE project_id = {project:String}
    AND day >= {first_day:Date}
    AND day <= {last_day:Date}
    AND dedupe_key % {parts:UInt64} = {part:UInt64}
