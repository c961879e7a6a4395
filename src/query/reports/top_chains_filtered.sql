-- The same over the sessions and events that meet the filters.
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
    chain.1 AS chain_id,
    countIf(indexOf(chains.1, chain.1) = nth) AS sessions,
    uniqExact(chain.2) AS visitors
FROM
(
    SELECT
        project_id,
        arrayDistinct(arrayFilter(
            (one, x_type, x_event, x_page, x_chain, x_address, x_volume, x_revenue, x_points) -> one.1 != '' AND /*event_filter*/,
            arrayZip(CAST(e_chain, 'Array(String)'), e_visitor),
            e_type, e_event, e_page, e_chain, e_address, e_volume, e_revenue, e_points)) AS chains
    FROM
    (
        SELECT
            project_id,
            referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, origin,
            device, browser, os, location, builder_codes, channel,
            e_type, e_event, e_page, e_chain, e_address, e_volume, e_revenue, e_points, e_visitor
        FROM sessions
        WHERE project_id IN {projects:Array(String)} AND (project_id, day, build) IN closed
        UNION ALL
        SELECT
            project_id,
            referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, origin,
            device, browser, os, location, builder_codes, channel,
            e_type, e_event, e_page, e_chain, e_address, e_volume, e_revenue, e_points, e_visitor
        FROM sessions_of_events(
            keys = {open_keys:Array(Tuple(String, Date))}, days = {open_days:Array(Tuple(String, Date))}, chunks = 1, chunk = 0)
    )
    WHERE (project_id NOT IN {without_bots:Array(String)} OR device != 'bot')
        AND /*session_filter*/
)
ARRAY JOIN chains AS chain, arrayEnumerate(chains) AS nth
GROUP BY project_id, chain_id
ORDER BY visitors DESC, sessions DESC, chain_id, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
