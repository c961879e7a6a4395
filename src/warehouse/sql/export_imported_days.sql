-- The rows of one import on some days.
SELECT {columns:Expression}
FROM imported_days
WHERE project_id = {project:String} AND import_id = {import:String} AND day BETWEEN {first_day:Date} AND {last_day:Date}
ORDER BY dimension, day, value, detail
