-- Part of the made-up traffic of a workspace, stored as the writer stores events: {count} of them, the {from}th of its load onwards.
-- A load spreads its sessions evenly from {start_ms} to {end_ms}; a second load over the same days brings visitors of its own.
-- Five events a session, three visits of five by somebody who came before (mostly within days), 400 sources of which 80 bring four
-- fifths of what is not direct, 40 user agents; with its context and properties, an event is about 1 KB of JSON.
INSERT INTO events
(
    project_id, day, message_id, timestamp, first, original_after_ms, sent_after_ms, channel, type, event, version, anonymous_id, address,
    origin, pathname, referrer, referrer_url, utm_source, utm_medium, utm_campaign, device, browser, os, location, rdns, provider_name,
    chain_id, volume, revenue, acquisition, has_touch, context, properties, extra
)
WITH
    (what, salt) -> (cityHash64({load:UInt8}, what, salt) % 1000003) / 1000003. AS share,
    (what, salt, choices) -> cityHash64({load:UInt8}, what, salt) % choices AS choice,
    what -> lower(hex(sipHash128({load:UInt8}, what))) AS hash,

    -- Which session of the load, and which event of it.
    number AS n,
    intDiv(n, 5) AS s,
    n % 5 AS k,
    {sessions:UInt64} / {days:UInt32} AS sessions_a_day,

    -- Visitors are numbered by their first session. Two sessions of five are somebody's first one; the others come back after 1 to 30
    -- days, half of them within 3. Those of the first days were there before the data begins.
    toUInt64(30 * sessions_a_day) + s AS visit,
    toUInt64(visit - (1 + pow(share(s, 'return'), 4) * 29) * sessions_a_day) AS earlier,
    if(visit % 5 < 2, visit, earlier - earlier % 5 + choice(s, 'who', 2)) AS v,
    hash(v) AS h,
    concat(substring(h, 1, 8), '-', substring(h, 9, 4), '-4', substring(h, 14, 3), '-a', substring(h, 18, 3), '-', substring(h, 21, 12)) AS anonymous,
    choice(v, 'project', length({projects:Array(String)})) AS p,
    pow(share(v, 'agent'), 2) * 40 AS agent,
    1 + toUInt8(agent) % 4 AS platform,
    ['US', 'DE', 'GB', 'IN', 'BR', 'FR', 'JP', 'SG', 'KR', 'NG', 'VN', 'ID', 'TR', 'CA', 'NL'][1 + toUInt8(pow(share(v, 'country'), 2) * 15)] AS country,

    -- When. Clocks of visitors are up to 2 s off, so some events stand under the day before or after.
    {start_ms:UInt64} + toUInt64(s * (({end_ms:UInt64} - {start_ms:UInt64}) / {sessions:UInt64})) + k * (5000 + choice(n, 'pause', 60000)) AS planned_ms,
    toInt64(least(planned_ms, {end_ms:UInt64})) AS ms,
    toInt64(choice(v, 'clock', 4000)) - 2000 + toInt64(choice(n, 'jitter', 3)) AS clock_ms,
    toInt64(20 + choice(n, 'network', 400)) AS network_ms,

    -- From where.
    multiIf(share(s, 'direct') < 0.35, -1, share(s, 'source') < 0.8, toInt32(choice(s, 'large', 80)), 80 + toInt32(choice(s, 'small', 320))) AS source,
    if(source < 0, '', concat('site', toString(source), '.example')) AS host,
    if(host = '', '', concat('https://', host, '/')) AS host_url,
    source >= 0 AND source % 3 = 0 AS is_campaign,
    if(is_campaign, concat('source', toString(source)), '') AS utm_s,
    if(is_campaign, ['cpc', 'email', 'social', 'referral'][1 + source % 4], '') AS utm_m,
    if(is_campaign, concat('campaign-', toString(source % 40)), '') AS utm_c,

    -- What. Half of the sessions track something, two fifths connect a wallet, a tenth sends a transaction.
    multiIf(k = 3 AND share(s, 'track') < 0.5, 'track', k = 4 AND share(s, 'wallet') < 0.4, 'connect', k = 4 AND share(s, 'wallet') < 0.5, 'transaction', 'page') AS kind,
    if(kind = 'track', ['Swap Completed', 'Deposit', 'Signup', 'Button Clicked'][1 + choice(n, 'event', 4)], '') AS name,
    if(name IN ('Swap Completed', 'Deposit'), toFloat64(1 + choice(n, 'revenue', 99999)) / 100, 0.) AS paid,
    if(kind IN ('connect', 'transaction') OR name = 'Swap Completed', ['1', '8453', '42161', '10', '137', '56', '43114', '59144', '534352', '7777777'][1 + toUInt8(pow(share(s, 'chain'), 3) * 10)], '') AS chain,
    if(kind != 'page' AND share(v, 'address') < 0.6, concat('0x', substring(concat(hash((v, 'a')), hash((v, 'b'))), 1, 40)), '') AS wallet,
    ['/', '/swap', '/pools', '/earn', '/bridge', '/stake', '/vote', '/account', '/docs', '/faq'][1 + toUInt8(pow(share(n, 'page'), 2) * 10)] AS section,
    if(section = '/pools' AND k > 1, concat('/pools/', toString(choice(n, 'pool', 500))), section) AS path,
    concat('app', toString(p), '.example.org') AS own_host,
    concat('https://', own_host, path, if(is_campaign AND k = 0, concat('?utm_source=', utm_s, '&utm_medium=', utm_m, '&utm_campaign=', utm_c), '')) AS url,

    -- As the browser SDK writes it.
    concat(
        '{"user_agent":"Mozilla/5.0 (', ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7', 'iPhone; CPU iPhone OS 18_5 like Mac OS X', 'Linux; Android 15; Pixel 9'][platform],
        ') AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1', toString(20 + toUInt8(agent)), '.0.0.0 Safari/537.36","locale":"en-US","timezone":"', ['America/New_York', 'Europe/Berlin', 'Asia/Singapore'][1 + v % 3],
        '","location":"', country, '","referrer":"', host_url,
        '","utm_source":"', utm_s, '","utm_medium":"', utm_m, '","utm_campaign":"', utm_c, '","utm_term":"","utm_content":"","ref":"","page_url":"', url,
        '","page_path":"', path, '","page_title":"Example ', path, '","library_name":"Web SDK","library_version":"1.35.0","screen_width":', toString([1920, 1440, 390, 412][platform]),
        ',"screen_height":', toString([1080, 900, 844, 915][platform]), ',"screen_density":2,"viewport_width":', toString([1903, 1440, 390, 412][platform]),
        ',"viewport_height":', toString(700 + v % 200), '}') AS context_json,
    multiIf(
        kind = 'page', concat('{"url":"', url, '","path":"', path, '","hash":"","query":"","title":"Example ', path, '"}'),
        paid > 0, concat('{"revenue":', toString(paid), ',"currency":"usd","volume":', toString(round(paid * 30, 2)), ',"pair":"ETH-USDC"}'),
        concat('{"chain_id":', if(chain = '', '0', chain), ',"rdns":"io.metamask","provider_name":"MetaMask"}')) AS properties_json
SELECT
    {projects:Array(String)}[1 + p],
    toDate(fromUnixTimestamp64Milli(ms + clock_ms, 'UTC')),
    lower(hex(SHA256(concat(toString({load:UInt8}), ' ', toString(n))))),
    fromUnixTimestamp64Milli(ms, 'UTC'),
    9007199254740991 - (ms + network_ms),
    clock_ms,
    network_ms,
    'web',
    kind,
    name,
    '0',
    anonymous,
    wallet,
    own_host,
    path,
    host,
    host_url,
    utm_s,
    utm_m,
    utm_c,
    ['desktop', 'desktop', 'mobile-ios', 'mobile-android'][platform],
    'chrome',
    ['windows', 'macos', 'ios', 'android'][platform],
    country,
    if(kind = 'connect', 'io.metamask', ''),
    if(kind = 'connect', 'MetaMask', ''),
    chain,
    if(paid > 0, round(paid * 30, 2), 0),
    paid,
    multiIf(host = '', 'Direct', utm_m = 'cpc', 'Paid Search', utm_m = 'email', 'Email', utm_m = 'social', 'Organic Social', 'Referrers'),
    1,
    context_json,
    properties_json,
    '{}'
FROM numbers({from:UInt64}, {count:UInt64})
