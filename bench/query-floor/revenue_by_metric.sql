-- Scan floor of revenue_by_metric by referrer: an event with revenue counts under its own referrer, or under that of its session's first
-- touch where the event does not tell where its visitor came from. Amounts of the bench are whole cents.
WITH
    bitShiftLeft(toUInt64(has_touch = 0), 63) + toUnixTimestamp64Milli(timestamp) AS rank,
    acquisition != 'Direct' OR referrer != '' OR ref != '' OR utm_source != '' OR utm_medium != ''
        OR utm_campaign != '' OR utm_term != '' OR utm_content != '' AS has_signal
SELECT
    project_id,
    if(source = '', 'Direct', source) AS referrer,
    sum(payment.4) / 100 AS sum_revenue
FROM
(
    SELECT
        project_id,
        payment,
        if(payment.1, payment.2, first_referrer) AS source,
        if(payment.3 != '', payment.3, first_device) AS used_device
    FROM
    (
        SELECT
            project_id,
            argMin(events.referrer, rank) AS first_referrer,
            argMin(device, rank) AS first_device,
            groupArrayIf(
                (has_signal, events.referrer, device, toInt64(round(revenue * 100))),
                revenue != 0 AND ({event:String} = '' OR event = {event:String})) AS payments
        FROM events FINAL
        WHERE project_id IN {projects:Array(String)}
            AND day BETWEEN {first_day:Date} - 1 AND {last_day:Date} + 1
            AND toDate(timestamp) BETWEEN {first_day:Date} AND {last_day:Date}
        GROUP BY project_id, session
    )
    ARRAY JOIN payments AS payment
)
WHERE ({device:String} = '' OR used_device = {device:String})
    AND ({part:String} = '' OR position(lower(source), {part:String}) > 0)
GROUP BY project_id, referrer
ORDER BY sum_revenue DESC, referrer, project_id
LIMIT 50
