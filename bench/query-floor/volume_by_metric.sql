-- Scan floor of volume_by_metric by referrer: an event with volume counts under its own referrer, or, if it has no
-- signal, under that of its session's first touch. The amounts of the benchmark are whole cents.
SELECT
    project_id,
    CASE WHEN source = '' THEN 'Direct' ELSE source END AS referrer,
    CAST(sum(cents) AS BIGINT) / 100 AS sum_volume
FROM
(
    SELECT
        project_id,
        CASE WHEN payment.has_signal THEN payment.referrer ELSE first_referrer END AS source,
        CASE WHEN payment.device != '' THEN payment.device ELSE first_device END AS used_device,
        payment.cents AS cents
    FROM
    (
        SELECT project_id, first_referrer, first_device, unnest(payments) AS payment
        FROM
        (
            SELECT
                project_id,
                session,
                arg_min(
                    referrer, (CASE WHEN has_touch = 0 THEN 1 ELSE 0 END)::BIGINT * 10000000000000000 + epoch_ms(timestamp)
                ) AS first_referrer,
                arg_min(
                    device, (CASE WHEN has_touch = 0 THEN 1 ELSE 0 END)::BIGINT * 10000000000000000 + epoch_ms(timestamp)
                ) AS first_device,
                list({'has_signal': acquisition != 'Direct' OR referrer != '' OR ref != '' OR utm_source != ''
                        OR utm_medium != '' OR utm_campaign != '' OR utm_term != '' OR utm_content != '',
                    'referrer': referrer, 'device': device, 'cents': CAST(round(volume * 100) AS BIGINT)})
                    FILTER (volume != 0 AND ({event:String} = '' OR event = {event:String})) AS payments
            FROM events
            WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
            GROUP BY project_id, session
        ) AS s
    ) AS p
) AS resolved
WHERE ({device:String} = '' OR used_device = {device:String})
    AND ({part:String} = '' OR position({part:String} IN lower(source)) > 0)
GROUP BY project_id, referrer
ORDER BY sum_volume DESC, referrer, project_id
LIMIT 50
