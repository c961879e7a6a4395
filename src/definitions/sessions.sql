-- THE definition of a session: the events of one project, UTC day and session. `keys` says where in the table the events of `days` are.
-- The first touch is the event of the lowest rank: page context first, then time, then any fixed order.
WITH
    bitShiftLeft(toUInt128(has_touch = 0), 127) + bitShiftLeft(toUInt128(toUnixTimestamp64Milli(timestamp)), 64) + cityHash64(message_id) AS rank
SELECT /*columns*/
FROM events FINAL
WHERE (project_id, events.day) IN {keys:Array(Tuple(String, Date))}
    AND (project_id, toDate(timestamp)) IN {days:Array(Tuple(String, Date))}
    /*chunk*/
GROUP BY project_id, toDate(timestamp), session
