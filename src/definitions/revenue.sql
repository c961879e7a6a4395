-- THE definition of what an event with revenue is counted under: its own value of a column, or that of its session's first touch. An event
-- with a sign of where the visitor came from keeps its own columns of that kind, also where one of them is empty.
WITH
    r_channel != 'Direct' OR r_referrer != '' OR r_ref != '' OR r_utm_source != '' OR r_utm_medium != ''
        OR r_utm_campaign != '' OR r_utm_term != '' OR r_utm_content != '' AS has_signal
SELECT /*columns*/
FROM (/*sessions*/) AS s
ARRAY JOIN /*arrays*/
