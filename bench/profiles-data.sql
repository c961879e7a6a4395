-- What the worker would leave of 89 clean days, without their events: merged profiles, and the sessions of the 30 days
-- before today. The events of today come from query-data.sql, and so do the macros. Wallets belong to its visitors: of five
-- visits two are a visitor's first, and three of five visitors have a wallet.
-- name: wallets
CREATE OR REPLACE TEMP TABLE filled_wallets AS
SELECT v, address, {today:Date} - (1 + CAST(floor(pow(share(v, 'last'), 2) * 89) AS INTEGER)) AS last_day
FROM
(
    SELECT
        i // 2 * 5 + i % 2 AS v,
        concat('0x', left(concat(hx(concat(v, 'a')), hx(concat(v, 'b'))), 40)) AS address
    FROM (SELECT range AS i FROM range(CAST(floor({wallets:Int64} / 0.6) AS BIGINT))) AS numbers
    WHERE share(v, 'address') < 0.6
) AS visitors

-- name: sums
-- In the order of days, as the worker merges them: the row of a wallet is written again on each of its days.
INSERT INTO profile_sums BY NAME
SELECT * EXCLUDE (v, paid, days, source, is_campaign, platform)
FROM
(
    SELECT
        v,
        CASE WHEN share(v, 'paid') < 0.5 THEN 0 ELSE CAST(1 + choice(v, 'revenue', 99999) AS HUGEINT) * (1 + choice(v, 'often', 3)) END AS paid,
        1 + CAST(floor(pow(share(v, 'days'), 3) * 12) AS INTEGER) AS days,
        CASE WHEN share(v, 'direct') < 0.35 THEN -1 ELSE CAST(floor(pow(share(v, 'source'), 2) * 400) AS INTEGER) END AS source,
        source >= 0 AND source % 3 = 0 AS is_campaign,
        1 + CAST(choice(v, 'platform', 4) AS INTEGER) AS platform,
        {project:String} AS project_id,
        address,
        CAST(concat('0x', left(sha256(address), 16)) AS UBIGINT) AS wallet_key,
        last_day,
        epoch_ms(last_day) - 86400000 * CAST(days - 1 AS BIGINT) + CAST(choice(v, 'first', 80000000) AS BIGINT) AS first_seen_ms,
        epoch_ms(last_day) + 80000000 + CAST(choice(v, 'last', 6400000) AS BIGINT) AS last_seen_ms,
        days AS sessions,
        days * 5 AS events,
        CAST(choice(v, 'transactions', 3) AS BIGINT) AS transactions,
        0 AS signatures,
        paid * 10000000 AS revenue,
        paid * 300000000 AS volume,
        0 AS points,
        CAST(revenue AS DOUBLE) / 1e9 AS revenue_shown,
        CAST(volume AS DOUBLE) / 1e9 AS volume_shown,
        0 AS points_shown,
        [['1', '8453', '42161', '10', '137'][1 + CAST(choice(v, 'chain', 5) AS INTEGER)]] AS chains,
        list_transform(range(CAST(days AS BIGINT)), lambda ago: last_day - CAST(days - 1 - ago AS INTEGER)) AS activity_days,
        CAST(last_seen_ms AS UBIGINT) * 1048576 + v % 1048576 AS last_rank,
        last_rank AS client_rank,
        last_rank AS location_rank,
        0 AS user_rank,
        last_rank - 1 AS last_touch_rank,
        CAST(first_seen_ms AS UBIGINT) * 1048576 AS first_touch_rank,
        ['desktop', 'desktop', 'mobile-ios', 'mobile-android'][platform] AS device,
        'chrome' AS browser,
        ['windows', 'macos', 'ios', 'android'][platform] AS os,
        ['US', 'DE', 'GB', 'IN', 'BR', 'FR', 'JP', 'SG', 'KR', 'NG', 'VN', 'ID', 'TR', 'CA', 'NL'][1 + CAST(floor(pow(share(v, 'country'), 2) * 15) AS INTEGER)] AS location,
        '' AS user_id,
        'track' AS last_type,
        'Swap Completed' AS last_event,
        concat('{"revenue":', paid / 100, ',"currency":"usd","volume":', paid * 30 / 100, ',"pair":"ETH-USDC"}') AS last_properties,
        CASE WHEN source < 0 THEN '' ELSE concat('site', source, '.example') END AS first_referrer,
        CASE WHEN source < 0 THEN '' ELSE concat('https://site', source, '.example/') END AS first_referrer_url,
        '' AS first_ref,
        CASE WHEN is_campaign THEN concat('source', source) ELSE '' END AS first_utm_source,
        CASE WHEN is_campaign THEN ['cpc', 'email', 'social', 'referral'][1 + source % 4] ELSE '' END AS first_utm_medium,
        CASE WHEN is_campaign THEN concat('campaign-', source % 40) ELSE '' END AS first_utm_campaign,
        '' AS first_utm_term,
        '' AS first_utm_content,
        CASE WHEN source < 0 THEN 'Direct' ELSE 'Referrers' END AS first_channel,
        '' AS first_paid_source,
        '' AS first_click_id,
        first_referrer AS last_referrer,
        first_referrer_url AS last_referrer_url,
        '' AS last_ref,
        first_utm_source AS last_utm_source,
        first_utm_medium AS last_utm_medium,
        first_utm_campaign AS last_utm_campaign,
        '' AS last_utm_term,
        '' AS last_utm_content,
        first_channel AS last_channel,
        '' AS last_paid_source,
        '' AS last_click_id
    FROM filled_wallets
    WHERE last_day BETWEEN {first_day:Date} AND {last_day:Date}
) AS made
ORDER BY last_day

-- name: earlier_sessions
-- A day before today: the sessions of today under other visitors, and one of thirty under the same.
INSERT INTO sessions
SELECT v.* REPLACE (
    v.day - CAST({ago:Int64} AS INTEGER) AS day,
    v.started_at - INTERVAL 1 DAY * {ago:Int64} AS started_at,
    v.ended_at - INTERVAL 1 DAY * {ago:Int64} AS ended_at,
    hash(v.session, {ago:Int64}, {copy:Int64}) AS session,
    CASE WHEN choice(v.visitor, {ago:Int64} * 2 + {copy:Int64}, 30) = 0 THEN v.visitor ELSE hash(v.visitor, {ago:Int64}, {copy:Int64}) END AS visitor)
FROM sessions AS v
WHERE v.project_id = {project:String} AND v.day = {today:Date}

-- name: state
INSERT INTO rollup_state BY NAME
SELECT
    {project:String} AS project_id,
    {today:Date} - 1 AS clean_through,
    DATE '1969-12-31' AS removed_before,
    TIMESTAMP_MS '1970-01-01' AS dirty_at,
    TIMESTAMP_MS '1970-01-01' AS dirty_since,
    false AS without_bots
ON CONFLICT DO NOTHING
