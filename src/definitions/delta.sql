-- What was received since the running days of a report were built, found once for all parts of the statement:
--   delta      these events, as (key, session, visitor, project, first, ...); copies of one are still among them, and copies of what is built
--   elsewhere  the keys of messages whose copy that counts is not among them, as far as their key has another day than they have
-- An event that was received before the cut is in a build, or its day was named again (day-book.ts) and is not among these.
/*strays{*/
(
    SELECT groupArray(key)
    FROM
    (
        SELECT
            /*key*/ AS key,
            argMax(first < /*cut*/ AND (project_id, toDate(timestamp)) IN {running_days:Array(Tuple(String, Date))}, first) AS is_delta
        FROM events
        WHERE (project_id, events.day, message_id) IN
        (
            SELECT project_id, events.day, message_id
            FROM events
            PREWHERE first < {cut:UInt64}
            WHERE project_id IN {running_projects:Array(String)} AND events.day IN {running_key_days:Array(Date)} AND first < /*cut*/ AND events.day != toDate(timestamp)
        )
        GROUP BY key
    )
    WHERE NOT is_delta
) AS elsewhere,
/*}strays*/
(/*received*/) AS delta
