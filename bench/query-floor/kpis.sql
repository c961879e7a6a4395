-- Scan floor of kpis by day: groups all events of the window into sessions, with the sorted times of each. An empty
-- parameter filters nothing.
WITH
    visits AS
    (
        SELECT
            project_id,
            day,
            hits,
            transactions,
            cents,
            volume_cents,
            visitors,
            wallets,
            list_sum(list_transform(
                range(1, len(times)),
                lambda i: CASE WHEN times[i + 1] - times[i] <= 1800000 THEN times[i + 1] - times[i] ELSE 0 END
            )) AS active,
            hits <= 1 AND engagements = 0 AND coalesce(active, 0) < 10000 AS is_bounce
        FROM
        (
            SELECT
                project_id,
                day,
                session,
                arg_min(device, (CASE WHEN has_touch = 0 THEN 1 ELSE 0 END)::BIGINT * 10000000000000000 + epoch_ms(timestamp)) AS first_device,
                count(*) FILTER (type = 'page') AS hits,
                count(*) FILTER (type = 'transaction' AND status NOT IN ('started', 'confirmed', 'reverted', 'rejected')) AS transactions,
                count(*) FILTER (type IN ('connect', 'transaction', 'track', 'decoded_log')) AS engagements,
                sum(CAST(round(revenue * 100) AS BIGINT)) AS cents,
                sum(CAST(round(volume * 100) AS BIGINT)) AS volume_cents,
                list(DISTINCT visitor) AS visitors,
                list(DISTINCT address) FILTER (address != '') AS wallets,
                list_sort(list(epoch_ms(timestamp))) AS times
            FROM events
            WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
            GROUP BY project_id, day, session
        ) AS s
        WHERE {device:String} = '' OR first_device = {device:String}
    )
SELECT
    d.date AS date,
    d.project_id AS project_id,
    sessions,
    pageviews,
    bounce_rate,
    avg_session_sec,
    visitors,
    coalesce(wallets, 0) AS wallets,
    transactions,
    revenue,
    volume
FROM
(
    SELECT
        day AS date,
        project_id,
        count(*) AS sessions,
        CAST(sum(hits) AS BIGINT) AS pageviews,
        avg(CAST(is_bounce AS INTEGER)) AS bounce_rate,
        avg(coalesce(active, 0)) / 1000 AS avg_session_sec,
        CAST(sum(transactions) AS BIGINT) AS transactions,
        CAST(sum(cents) AS BIGINT) / 100 AS revenue,
        CAST(sum(volume_cents) AS BIGINT) / 100 AS volume
    FROM visits
    GROUP BY day, project_id
) AS d
INNER JOIN
(
    SELECT day AS date, project_id, count(DISTINCT visitor) AS visitors
    FROM (SELECT day, project_id, unnest(visitors) AS visitor FROM visits) AS v
    GROUP BY day, project_id
) AS v USING (date, project_id)
LEFT JOIN
(
    SELECT day AS date, project_id, count(DISTINCT wallet) AS wallets
    FROM (SELECT day, project_id, unnest(wallets) AS wallet FROM visits) AS w
    GROUP BY day, project_id
) AS w USING (date, project_id)
ORDER BY date, project_id
