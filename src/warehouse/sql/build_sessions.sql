-- The sessions of one day, as they are now.
INSERT INTO sessions
SELECT
    project_id, day, {build:UInt64} AS build, visitors, hits,
    referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, origin,
    device, browser, os, location, builder_codes, channel,
    e_type, e_event, e_page, e_chain, e_address, e_volume, e_revenue, e_points, e_visitor
FROM sessions_of_events(
    keys = {keys:Array(Tuple(String, Date))}, days = {days:Array(Tuple(String, Date))},
    chunks = {chunks:UInt32}, chunk = {chunk:UInt32})
