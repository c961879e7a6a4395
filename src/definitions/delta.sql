-- What was received since the running days of a report were built, found once for all parts of the statement:
--   delta      these events
--   elsewhere  the keys of messages whose copy that counts is not among them, as far as their key has another day than they have
--   known      the events that a build holds of the same sessions, and those of the same keys. One of another day that runs, too, is left to that
--              day's build: it may have been made before this one, and the event may be among the delta itself
-- Rows are (key, session, visitor, project, whether it is of the day it was built for, ...).
-- An event that was received before the cut is in a build, or its day was named again (day-book.ts) and is not among these.
(
    SELECT groupArray((key, session, visitor, toString(project_id), true, /*row*/))
    FROM (/*received*/) AS events
    WHERE (project_id, toDate(timestamp)) IN {running_days:Array(Tuple(String, Date))}
        /*regular{*/
        AND events.day = toDate(timestamp)
        /*}regular*/
        /*only*/
) AS delta,
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
(
    SELECT groupArray((key, session, visitor, toString(project_id), toDate(timestamp) = day, /*row*/))
    FROM day_events
    WHERE build IN {running:Array(UInt64)} AND snapshot IN {snapshots:Array(UInt64)} AND (session IN delta.2 OR key IN delta.1)
        AND (toDate(timestamp) = day OR (project_id, toDate(timestamp)) NOT IN {running_days:Array(Tuple(String, Date))})
) AS known
