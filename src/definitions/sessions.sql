-- THE definition of a session: the events of one project, UTC day and session.
-- The first touch is the event of the lowest rank: page context first (1 bit), then time (43 bits), then any fixed order (20 bits).
-- An event has a signal when it tells itself where its visitor came from.
WITH
    bitShiftLeft(toUInt64(has_touch = 0), 63) + bitShiftLeft(toUInt64(toUnixTimestamp64Milli(timestamp)), 20) + bitAnd(cityHash64(message_id), 1048575) AS rank/*signal{*/,
    acquisition != 'Direct' OR events.referrer != '' OR events.ref != '' OR events.utm_source != '' OR events.utm_medium != ''
        OR events.utm_campaign != '' OR events.utm_term != '' OR events.utm_content != '' AS has_signal/*}signal*/
SELECT /*columns*/
/*events*/
    /*only*/
GROUP BY project_id, toDate(timestamp), session
