-- Months of the events table that hold days of projects that are over their time. Days that got events just now wait for the next run: an
-- insert that named its day may still be on its way.
SELECT DISTINCT toYYYYMM(key_day) AS month
FROM event_days FINAL
WHERE day < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0))
    AND touched_at < {settled:DateTime64(3, 'UTC')}
ORDER BY month
