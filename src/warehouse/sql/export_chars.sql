-- The characters of a partition's texts.
SELECT sum(lengthUTF8(context) + lengthUTF8(properties) + lengthUTF8(extra)) AS n_chars
FROM events
WHERE project_id = {project:String} AND day = {day:Date}
