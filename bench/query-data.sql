-- A part of the generated traffic of a workspace, stored as the writer stores events: `count` events of a load,
-- starting at number `from`. A load spreads its sessions evenly from `start_ms` to `end_ms`; a second load over the
-- same days has its own visitors. A session has five events. Three of five visits are by returning visitors, mostly
-- within days. Of 400 sources, 80 bring four fifths of the traffic that is not direct. There are 40 user agents. With
-- its context and properties an event is about 1 KB of JSON.
-- name: macros
CREATE OR REPLACE TEMP MACRO share(what, salt) AS (hash(getvariable('load'), what, salt) % 1000003) / 1000003.0;
CREATE OR REPLACE TEMP MACRO choice(what, salt, choices) AS hash(getvariable('load'), what, salt) % choices;
CREATE OR REPLACE TEMP MACRO hx(what) AS md5(concat(getvariable('load'), ' ', what));

-- name: insert
INSERT INTO events BY NAME
SELECT * EXCLUDE (n, s, k, a_day, visit, earlier, v, h, p, agent, platform, planned_ms, ms, clock_ms, network_ms, source, host, host_url, is_campaign, kind, name, paid, chain, section, path, url)
FROM
(
    SELECT
        n,
        n // 5 AS s,
        n % 5 AS k,
        {sessions:Int64} / {days:Int64} AS a_day,

        -- Visitors are numbered by their first session. Two of five sessions are a visitor's first; the others return
        -- after 1 to 30 days, half of them within 3. Returning visitors of the first days have sessions before the data
        -- begins.
        CAST(30 * a_day AS BIGINT) + s AS visit,
        CAST(visit - (1 + pow(share(s, 'return'), 4) * 29) * a_day AS BIGINT) AS earlier,
        CASE WHEN visit % 5 < 2 THEN visit ELSE earlier - earlier % 5 + CAST(choice(s, 'who', 2) AS BIGINT) END AS v,
        hx(v) AS h,
        CAST(choice(v, 'project', len({projects:Array(String)})) AS INTEGER) AS p,
        CAST(floor(pow(share(v, 'agent'), 2) * 40) AS INTEGER) AS agent,
        1 + agent % 4 AS platform,

        -- Times. Visitors' clocks are up to 2 s off, so that some events have the previous or the next day as their
        -- dedupe day.
        {start_ms:Int64} + CAST(s * (({end_ms:Int64} - {start_ms:Int64}) / {sessions:Int64}) AS BIGINT) + k * (5000 + CAST(choice(n, 'pause', 60000) AS BIGINT)) AS planned_ms,
        least(planned_ms, {end_ms:Int64}) AS ms,
        CAST(choice(v, 'clock', 4000) AS BIGINT) - 2000 + CAST(choice(n, 'jitter', 3) AS BIGINT) AS clock_ms,
        20 + CAST(choice(n, 'network', 400) AS BIGINT) AS network_ms,

        -- Sources.
        CASE WHEN share(s, 'direct') < 0.35 THEN -1 WHEN share(s, 'source') < 0.8 THEN CAST(choice(s, 'large', 80) AS INTEGER) ELSE 80 + CAST(choice(s, 'small', 320) AS INTEGER) END AS source,
        CASE WHEN source < 0 THEN '' ELSE concat('site', source, '.example') END AS host,
        CASE WHEN host = '' THEN '' ELSE concat('https://', host, '/') END AS host_url,
        source >= 0 AND source % 3 = 0 AS is_campaign,
        CASE WHEN is_campaign THEN concat('source', source) ELSE '' END AS utm_source,
        CASE WHEN is_campaign THEN ['cpc', 'email', 'social', 'referral'][1 + source % 4] ELSE '' END AS utm_medium,
        CASE WHEN is_campaign THEN concat('campaign-', source % 40) ELSE '' END AS utm_campaign,

        -- Event types. Half of the sessions track an event, two fifths connect a wallet, a tenth sends a transaction.
        CASE WHEN k = 3 AND share(s, 'track') < 0.5 THEN 'track' WHEN k = 4 AND share(s, 'wallet') < 0.4 THEN 'connect' WHEN k = 4 AND share(s, 'wallet') < 0.5 THEN 'transaction' ELSE 'page' END AS kind,
        CASE WHEN kind = 'track' THEN ['Swap Completed', 'Deposit', 'Signup', 'Button Clicked'][1 + CAST(choice(n, 'event', 4) AS INTEGER)] ELSE '' END AS name,
        CASE WHEN name IN ('Swap Completed', 'Deposit') THEN (1 + choice(n, 'revenue', 99999)) / 100.0 ELSE 0 END AS paid,
        CASE WHEN kind IN ('connect', 'transaction') OR name = 'Swap Completed' THEN ['1', '8453', '42161', '10', '137', '56', '43114', '59144', '534352', '7777777'][1 + CAST(floor(pow(share(s, 'chain'), 3) * 10) AS INTEGER)] ELSE '' END AS chain,
        ['/', '/swap', '/pools', '/earn', '/bridge', '/stake', '/vote', '/account', '/docs', '/faq'][1 + CAST(floor(pow(share(n, 'page'), 2) * 10) AS INTEGER)] AS section,
        CASE WHEN section = '/pools' AND k > 1 THEN concat('/pools/', choice(n, 'pool', 500)) ELSE section END AS path,
        concat('https://app', p, '.example.org', path, CASE WHEN is_campaign AND k = 0 THEN concat('?utm_source=', utm_source, '&utm_medium=', utm_medium, '&utm_campaign=', utm_campaign) ELSE '' END) AS url,

        {projects:Array(String)}[1 + p] AS project_id,
        CAST(make_timestamp_ms(ms) AS DATE) AS day,
        make_timestamp_ms(ms) AS timestamp,
        concat(h[1:8], '-', h[9:12], '-4', h[14:16], '-a', h[18:20], '-', h[21:32]) AS anonymous_id,
        hash(anonymous_id) AS visitor,
        hash(day, anonymous_id) AS session,
        CAST(make_timestamp_ms(ms + clock_ms) AS DATE) AS dedupe_day,
        sha256(concat(getvariable('load'), ' ', n)) AS message_id,
        hash(project_id, dedupe_day, message_id) AS dedupe_key,
        make_timestamp_ms(ms + network_ms) AS received_at,
        clock_ms AS original_after_ms,
        network_ms AS sent_after_ms,
        'web' AS channel,
        kind AS type,
        name AS event,
        '0' AS version,
        '' AS user_id,
        CASE WHEN kind != 'page' AND share(v, 'address') < 0.6 THEN concat('0x', left(concat(hx(concat(v, 'a')), hx(concat(v, 'b'))), 40)) ELSE '' END AS address,
        '' AS address_spelt,
        '' AS session_id,
        concat('app', p, '.example.org') AS origin,
        path AS pathname,
        host AS referrer,
        host_url AS referrer_url,
        '' AS ref,
        '' AS utm_term,
        '' AS utm_content,
        ['desktop', 'desktop', 'mobile-ios', 'mobile-android'][platform] AS device,
        'chrome' AS browser,
        ['windows', 'macos', 'ios', 'android'][platform] AS os,
        ['US', 'DE', 'GB', 'IN', 'BR', 'FR', 'JP', 'SG', 'KR', 'NG', 'VN', 'ID', 'TR', 'CA', 'NL'][1 + CAST(floor(pow(share(v, 'country'), 2) * 15) AS INTEGER)] AS location,
        CASE WHEN kind = 'transaction' THEN ['started', 'broadcasted', 'broadcasted', 'confirmed'][1 + CAST(choice(n, 'status', 4) AS INTEGER)] ELSE '' END AS status,
        CASE WHEN kind = 'connect' THEN 'io.metamask' ELSE '' END AS rdns,
        CASE WHEN kind = 'connect' THEN 'MetaMask' ELSE '' END AS provider_name,
        chain AS chain_id,
        '' AS builder_codes,
        CASE WHEN paid > 0 THEN round(paid * 30, 2) ELSE 0 END AS volume,
        paid AS revenue,
        0 AS points,
        CASE WHEN host = '' THEN 'Direct' WHEN utm_medium = 'cpc' THEN 'Paid Search' WHEN utm_medium = 'email' THEN 'Email' WHEN utm_medium = 'social' THEN 'Organic Social' ELSE 'Referrers' END AS acquisition,
        1 AS has_touch,

        -- In the format of the browser SDK.
        concat(
            '{"user_agent":"Mozilla/5.0 (', ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7', 'iPhone; CPU iPhone OS 18_5 like Mac OS X', 'Linux; Android 15; Pixel 9'][platform],
            ') AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1', 20 + agent, '.0.0.0 Safari/537.36","locale":"en-US","timezone":"', ['America/New_York', 'Europe/Berlin', 'Asia/Singapore'][1 + CAST(v % 3 AS INTEGER)],
            '","location":"', location, '","referrer":"', host_url,
            '","utm_source":"', utm_source, '","utm_medium":"', utm_medium, '","utm_campaign":"', utm_campaign, '","utm_term":"","utm_content":"","ref":"","page_url":"', url,
            '","page_path":"', path, '","page_title":"Example ', path, '","library_name":"Web SDK","library_version":"1.35.0","screen_width":', [1920, 1440, 390, 412][platform],
            ',"screen_height":', [1080, 900, 844, 915][platform], ',"screen_density":2,"viewport_width":', [1903, 1440, 390, 412][platform],
            ',"viewport_height":', 700 + v % 200, '}') AS context,
        CASE
            WHEN kind = 'page' THEN concat('{"url":"', url, '","path":"', path, '","hash":"","query":"","title":"Example ', path, '"}')
            WHEN kind = 'transaction' THEN concat('{"status":"', status, '","chain_id":', chain, ',"rdns":"io.metamask","provider_name":"MetaMask"}')
            WHEN paid > 0 THEN concat('{"revenue":', paid, ',"currency":"usd","volume":', round(paid * 30, 2), ',"pair":"ETH-USDC"}')
            ELSE concat('{"chain_id":', CASE WHEN chain = '' THEN '0' ELSE chain END, ',"rdns":"io.metamask","provider_name":"MetaMask"}')
        END AS properties,
        '{}' AS extra
    FROM (SELECT range AS n FROM range({from:Int64}, {from:Int64} + {count:Int64})) AS numbers
) AS made
