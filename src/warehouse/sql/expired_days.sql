-- Which days of which projects are over their time, where their events are, and whether their months hold anything that stays. Days that
-- got events just now wait for the next run: an insert that named its day may still be on its way.
SELECT
    toYYYYMM(day) AS month,
    toYYYYMM(key_day) AS key_month,
    countIf(is_expired) AS expired,
    countIf(NOT is_expired) AS kept
FROM
(
    SELECT
        day,
        key_day,
        day < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0))
            AND touched_at < {settled:DateTime64(3, 'UTC')} AS is_expired
    FROM event_days FINAL
)
GROUP BY month, key_month
