-- Revenue by a column of the event, or of its session where the event has none of its own. Sums are exact to 9 decimals, whatever the
-- order they are made in: amounts are added as whole numbers.
WITH
    closed AS
    (
        SELECT project_id, day, max(build)
        FROM closed_days
        WHERE project_id IN {projects:Array(String)}
            AND day BETWEEN {first_day:Date} AND {last_day:Date}
            AND build <= {known_build:UInt64}
            AND (project_id, day) NOT IN {open_days:Array(Tuple(String, Date))}
        GROUP BY project_id, day
    )
SELECT
    toString(project_id) AS project_id,
    value AS {alias:Identifier},
    toFloat64(sum(amount)) / 1e9 AS sum_revenue
FROM
(
    SELECT
        project_id,
        if({column:String} = 'referrer' AND {column:Identifier} = '', 'Direct', toString({column:Identifier})) AS value,
        toInt128(round(revenue * 1e9)) AS amount
    FROM
    (
        SELECT
            project_id,
            referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel,
            origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id,
            event, type, own_page, own_chain, address, volume, revenue, points
        FROM revenue_events
        WHERE project_id IN {projects:Array(String)} AND (project_id, day, build) IN closed
        UNION ALL
        SELECT
            project_id,
            referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel,
            origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id,
            event, type, own_page, own_chain, address, volume, revenue, points
        FROM revenue_of_events(
            keys = {open_keys:Array(Tuple(String, Date))}, days = {open_days:Array(Tuple(String, Date))}, chunks = 1, chunk = 0)
    )
    WHERE (project_id NOT IN {without_bots:Array(String)} OR device != 'bot')
        AND /*session_filter*/
        AND /*event_filter*/
)
GROUP BY project_id, value
ORDER BY sum_revenue DESC, value, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
