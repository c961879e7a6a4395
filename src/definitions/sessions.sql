-- THE definition of a session: the events of one project, UTC day and session. `keys` says where in the table the events of `days` are.
-- The first touch is the event of the lowest rank: page context first (1 bit), then time (43 bits), then any fixed order (20 bits).
WITH
    bitShiftLeft(toUInt64(has_touch = 0), 63) + bitShiftLeft(toUInt64(toUnixTimestamp64Milli(timestamp)), 20) + bitAnd(cityHash64(message_id), 1048575) AS rank
SELECT /*columns*/
FROM events FINAL
WHERE (project_id, events.day) IN {keys:Array(Tuple(String, Date))}
    AND (project_id, toDate(timestamp)) IN {days:Array(Tuple(String, Date))}
    /*chunk*/
GROUP BY project_id, toDate(timestamp), session
