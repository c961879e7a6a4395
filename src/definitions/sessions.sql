-- THE definition of a session: the events of one project, UTC day and session.
-- The first touch is the event of the lowest rank: page context first (1 bit), then time (43 bits), then any fixed order (20 bits).
WITH
    bitShiftLeft(toUInt64(has_touch = 0), 63) + bitShiftLeft(toUInt64(toUnixTimestamp64Milli(timestamp)), 20) + bitAnd(/*message*/, 1048575) AS rank,
    /*signal*/ AS has_signal
SELECT /*columns*/
/*events*/
    /*only*/
GROUP BY project_id, toDate(timestamp), session/*by*/
