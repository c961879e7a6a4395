-- The events of all sessions that got some since the cut (delta.sql): of kind 1 those they have now, of kind 2 those they had before. Of a
-- message the copy that was received first counts, and that may be in a build already. One that is there because of its key, but of
-- another day that runs, too, is left to that day's build: it may have been made before this one, and the event may be among the delta itself.
FROM
(
    SELECT session, visitor, toString(project_id) AS project_id, /*built*/, arrayJoin(/*kinds*/) AS kind
    FROM day_events AS events
    WHERE build IN {running:Array(UInt64)} AND snapshot IN {snapshots:Array(UInt64)} AND session IN delta.2 AND toDate(timestamp) = day
    UNION ALL
    SELECT one.2 AS session, one.3 AS visitor, one.4 AS project_id, /*row*/, 1 AS kind
    FROM (SELECT arrayJoin(delta) AS one)
    WHERE one.1 NOT IN
        (
            SELECT key
            FROM day_events
            WHERE build IN {running:Array(UInt64)} AND snapshot IN {snapshots:Array(UInt64)} AND key IN delta.1
                AND (toDate(timestamp) = day OR (project_id, toDate(timestamp)) NOT IN {running_days:Array(Tuple(String, Date))})
        )
        /*strays{*/
        AND one.1 NOT IN elsewhere
        /*}strays*/
    ORDER BY one.5 DESC
    LIMIT 1 BY one.1
) AS events
WHERE true
