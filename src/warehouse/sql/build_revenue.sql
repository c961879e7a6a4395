-- The events with revenue of one day, as they are now.
INSERT INTO revenue_events
SELECT
    project_id, day, {build:UInt64} AS build,
    referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel,
    origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id,
    event, type, own_page, own_chain, address, volume, revenue, points
FROM revenue_of_events(
    keys = {keys:Array(Tuple(String, Date))}, days = {days:Array(Tuple(String, Date))},
    chunks = {chunks:UInt32}, chunk = {chunk:UInt32})
