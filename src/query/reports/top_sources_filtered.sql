-- The same over the sessions that meet the filters: those of closed days as they were written down, those of open days from the events.
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
    sum(session_hits) AS hits,
    count() AS sessions,
    uniqExactArray(session_visitors) AS visitors
FROM
(
    SELECT
        project_id,
        if({column:String} = 'referrer' AND {column:Identifier} = '', 'Direct', {column:Identifier}) AS value,
        hits AS session_hits,
        visitors AS session_visitors
    FROM
    (
        SELECT
            project_id, visitors, hits,
            referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, origin,
            device, browser, os, location, builder_codes, channel,
            e_type, e_event, e_page, e_chain, e_address, e_volume, e_revenue, e_points
        FROM sessions
        WHERE project_id IN {projects:Array(String)} AND (project_id, day, build) IN closed
        UNION ALL
        SELECT
            project_id, visitors, hits,
            referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, origin,
            device, browser, os, location, builder_codes, channel,
            e_type, e_event, e_page, e_chain, e_address, e_volume, e_revenue, e_points
        FROM sessions_of_events(
            keys = {open_keys:Array(Tuple(String, Date))}, days = {open_days:Array(Tuple(String, Date))}, chunks = 1, chunk = 0)
    )
    WHERE (project_id NOT IN {without_bots:Array(String)} OR device != 'bot')
        AND /*session_filter*/
        AND /*event_filter*/
)
GROUP BY project_id, value
ORDER BY visitors DESC, sessions DESC, hits DESC, value, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
