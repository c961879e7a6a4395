-- The last number given, the engine's time, and how many events the days to build may have.
SELECT
    (SELECT max(build) FROM closed_days) AS last,
    toUnixTimestamp(now()) AS now_s,
    (SELECT count() FROM events WHERE (project_id, day) IN {keys:Array(Tuple(String, Date))}) AS events
