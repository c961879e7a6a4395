-- Statements of the ClickHouse half about partitions. Generated (npm run generate), compared by a test.

-- A report looks at the catalogue:

SELECT
    project_id,
    max(if(is_there AND is_clean AND has_rollups, day + 1, toDate(0))) AS dirty_from,
    max(if(has_begun, toDate(0), day + 1)) AS removed_before,
    groupArrayIf(revision, is_there AND is_clean AND in_window) AS revisions,
    groupArrayIf(day, is_there AND NOT is_clean AND in_window) AS dirty_days,
    groupUniqArrayArrayIf(dedupe_days, is_there AND NOT is_clean AND in_window) AS dirty_dedupe_days,
    groupUniqArrayArrayIf(dedupe_days, is_there AND in_window) AS window_dedupe_days
FROM
(
    SELECT
        *,
        day BETWEEN {first_day:Date} AND {last_day:Date} AS in_window,
        min(NOT is_there OR without_bots = toUInt8(project_id IN {without_bots_in:Array(String)}))
            OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS has_rollups
    FROM (SELECT
    project_id,
    day,
    revision,
    dedupe_days,
    notEmpty(dedupe_days) AS is_there,
    without_bots,
    earlier AS depends_on,
    now_ms,
    min(is_valid)
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS is_clean,
    max(dirty_ms)
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_dirty_ms,
    max(notEmpty(dedupe_days))
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS has_begun
FROM
(
    SELECT
        *,
        empty(dedupe_days)
            OR (revision > 0 AND dirty_ms < started_ms AND started_ms <= now_ms AND recorded_depends_on = earlier)
            AS is_valid
    FROM
    (
        SELECT
            *,
            toUnixTimestamp64Milli(now64(3)) AS now_ms,
            groupBitXor(if(revision = 0, 0, cityHash64(day, revision)))
                OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
        FROM
        (
            SELECT
                toString(project_id) AS project_id,
                day,
                max(number) AS revision,
                max(marked_ms) AS dirty_ms,
                argMax(begun_ms, number) AS started_ms,
                argMax(depends, number) AS recorded_depends_on,
                argMax(leaves_bots_out, number) AS without_bots,
                groupUniqArrayIf(dedupe_day, number = 0) AS dedupe_days
            FROM
            (
                SELECT
                    project_id,
                    day,
                    dedupe_day,
                    toUInt64(0) AS number,
                    max(toUnixTimestamp64Milli(dirty_at)) OVER (PARTITION BY project_id, dedupe_day) AS marked_ms,
                    toInt64(0) AS begun_ms,
                    toUInt64(0) AS depends,
                    toUInt8(0) AS leaves_bots_out
                FROM dirty_partitions
                WHERE project_id IN {projects:Array(String)}
                UNION ALL
                SELECT
                    project_id, day, day AS dedupe_day, revision, toInt64(0), toUnixTimestamp64Milli(started_at), depends_on,
                    without_bots
                FROM revisions
                WHERE layout = 2 AND project_id IN {projects:Array(String)}
            )
            GROUP BY project_id, day
        )
    )
)
)
)
GROUP BY project_id

-- Its relations, where some partitions are clean and others dirty:

-- scope
SELECT p.1 AS project_id, p.2 AS first_day, p.3 AS dirty_from, toDate('2149-06-06') AS running_day
FROM (SELECT arrayJoin({scope:Array(Tuple(String, Date, Date))}) AS p)

-- events
SELECT *, received_at FROM events_rows FINAL WHERE project_id IN {scope_projects:Array(String)} AND day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date} AND dedupe_day IN {scope_dedupe_days:Array(Date)}

-- rollups
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events
FROM rollup_rows WHERE project_id IN {scope_projects:Array(String)} AND day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date} AND revision IN {scope_revisions:Array(UInt64)}

-- sessions
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id IN {scope_projects:Array(String)} AND day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date} AND revision IN {scope_revisions:Array(UInt64)}
UNION ALL
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id FROM (
WITH parts AS
(
SELECT
    e.project_id AS project_id,
    e.day AS day,
    e.session AS session,
    e.visitor AS visitor,
    if(e.has_touch = 0, toUInt64(9223372036854775808), toUInt64(0)) + e.rank AS touch_rank,
    e.timestamp AS started_at,
    e.timestamp AS ended_at,
    if(e.type = 'page', 1, 0) AS hits,
    1 AS events,
    if(e.type = 'transaction' AND e.status NOT IN ('started', 'confirmed', 'reverted', 'rejected'), 1, 0) AS transactions,
    if(e.type = 'signature' AND e.status NOT IN ('requested', 'rejected'), 1, 0) AS signatures,
    if(e.type = 'connect', 1, 0) AS connects,
    if(e.type IN ('connect', 'transaction', 'track', 'decoded_log'), 1, 0) AS engagements,
    if(e.type = 'page', e.rank, toUInt64(18446744073709551615)) AS entry_rank,
    if(e.type = 'page', e.rank, toUInt64(0)) AS exit_rank,
    [e.origin, e.pathname] AS entry,
    [e.origin, e.pathname] AS exit,
    if(e.address = '', toUInt64(18446744073709551615), e.rank) AS address_rank,
    e.address AS address,
    if(e.chain_id = '', [], [e.chain_id]) AS chains,
    if(e.rdns = '', [], [e.rdns]) AS rdns_names,
    if(e.address = '', [], [e.address]) AS addresses,
    if(e.type = 'page', [concat(e.origin, ' ', e.pathname)], []) AS pages,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS revenue,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS volume,
    toInt128(floor(e.points * 1e9 + 0.5)) AS points,
    [
        e.referrer, e.referrer_url, e.ref, e.utm_source, e.utm_medium, e.utm_campaign, e.utm_term, e.utm_content,
        e.acquisition, e.origin, e.pathname, e.builder_codes, e.device, e.browser, e.os, e.location, e.rdns,
        e.provider_name, e.chain_id
    ] AS touch,
    if(e.paid_source = '', toUInt64(18446744073709551615), e.rank) AS paid_rank,
    [e.paid_source, if(e.paid_source = '', '', e.click_id)] AS paid
FROM
(
    SELECT *, toUInt64(toUnixTimestamp64Milli(timestamp)) * 1048576 + dedupe_key % 1048576 AS rank
    FROM (SELECT * FROM events_rows FINAL
    WHERE (project_id, dedupe_day) IN {scope_dirty_keys:Array(Tuple(String, Date))}
        AND (project_id, day) IN {scope_dirty_days:Array(Tuple(String, Date))})
) AS e
),
of_visitor_alone AS
(
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    p.visitor AS visitor,
    sum(p.hits) AS n_hits,
    sum(p.events) AS n_events,
    sum(p.engagements) AS n_engagements,
    sum(p.transactions) AS n_transactions,
    sum(p.signatures) AS n_signatures,
    sum(p.connects) AS n_connects,
    groupUniqArrayArray(p.chains) AS own_chains,
    groupUniqArrayArray(p.rdns_names) AS own_rdns_names,
    groupUniqArrayArray(p.addresses) AS own_addresses,
    groupUniqArrayArray(p.pages) AS own_pages,
    sum(p.revenue) AS sum_revenue,
    sum(p.volume) AS sum_volume,
    sum(p.points) AS sum_points,
    min(p.touch_rank) AS own_rank,
    argMin(p.touch, p.touch_rank) AS own_touch,
    min(p.started_at) AS own_start,
    max(p.ended_at) AS own_end,
    min(p.entry_rank) AS own_entry_rank,
    argMin(p.entry, p.entry_rank) AS own_entry,
    max(p.exit_rank) AS own_exit_rank,
    argMax(p.exit, p.exit_rank) AS own_exit,
    min(p.address_rank) AS own_address_rank,
    argMin(p.address, p.address_rank) AS own_address,
    min(p.paid_rank) AS own_paid_rank,
    argMin(p.paid, p.paid_rank) AS own_paid
FROM parts AS p
GROUP BY p.project_id, p.day, p.session, p.visitor
),
whole_alone AS
(
SELECT
    o.*,
    argMin(o.visitor, o.own_rank) OVER whole AS first_visitor,
    argMin(o.own_touch, o.own_rank) OVER whole AS first_touch,
    min(o.own_start) OVER whole AS started_at,
    max(o.own_end) OVER whole AS ended_at,
    argMin(o.own_entry, o.own_entry_rank) OVER whole AS first_entry,
    argMax(o.own_exit, o.own_exit_rank) OVER whole AS last_exit,
    argMin(o.own_address, o.own_address_rank) OVER whole AS first_address,
    argMin(o.own_paid, o.own_paid_rank) OVER whole AS first_paid,
    sum(o.n_hits) OVER whole AS all_hits,
    sum(o.n_engagements) OVER whole AS all_engagements
FROM of_visitor_alone AS o
WINDOW whole AS (PARTITION BY o.project_id, o.day, o.session)
),
spans AS
(
SELECT
    e.project_id AS project_id,
    e.session AS session,
    toUnixTimestamp64Milli(e.timestamp) % 86400000 AS from_ms,
    toUnixTimestamp64Milli(e.timestamp) % 86400000 AS to_ms
FROM (SELECT * FROM events_rows FINAL
    WHERE (project_id, dedupe_day) IN {scope_dirty_keys:Array(Tuple(String, Date))}
        AND (project_id, day) IN {scope_dirty_days:Array(Tuple(String, Date))}) AS e
WHERE 1 = 1
),
gaps AS
(
SELECT
    project_id AS gap_project,
    session AS gap_session,
    sumIf(from_ms - reached_ms + 1, is_gap) AS idle_ms
FROM
(
    SELECT project_id, session, from_ms, reached_ms, reached_ms > 0 AND from_ms - reached_ms >= 1800000 AS is_gap
    FROM
    (
        SELECT
            project_id,
            session,
            from_ms,
            max(to_ms + 1) OVER
                (PARTITION BY project_id, session ORDER BY from_ms
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached_ms
        FROM spans
    ) AS reached
) AS every
GROUP BY project_id, session
),
joined_alone AS
(
SELECT
    v.*,
    toUnixTimestamp64Milli(v.ended_at) - toUnixTimestamp64Milli(v.started_at) - coalesce(g.idle_ms, 0) AS active_ms
FROM whole_alone AS v
LEFT JOIN gaps AS g ON g.gap_project = v.project_id AND g.gap_session = v.session
)
SELECT
    v.project_id AS project_id,
    v.day AS day,
    v.session AS session,
    v.visitor AS visitor,
    v.visitor = v.first_visitor AS is_first,
    v.started_at AS started_at,
    v.ended_at AS ended_at,
    v.active_ms AS active_ms,
    v.all_hits <= 1 AND v.all_engagements = 0 AND v.active_ms < 10000 AS is_bounce,
    if(v.all_hits = 0, '', v.first_entry[1]) AS entry_origin,
    if(v.all_hits = 0, '', v.first_entry[2]) AS entry_page,
    if(v.all_hits = 0, '', v.last_exit[1]) AS exit_origin,
    if(v.all_hits = 0, '', v.last_exit[2]) AS exit_page,
    v.first_address AS address,
    v.n_hits AS hits,
    v.n_events AS events,
    v.n_transactions AS transactions,
    v.n_signatures AS signatures,
    v.n_connects AS connects,
    v.own_chains AS chains,
    v.own_rdns_names AS rdns_names,
    v.own_addresses AS addresses,
    v.own_pages AS pages,
    v.sum_revenue AS revenue,
    v.sum_volume AS volume,
    v.sum_points AS points,
    v.first_touch[1] AS referrer,
    v.first_touch[2] AS referrer_url,
    v.first_touch[3] AS ref,
    v.first_touch[4] AS utm_source,
    v.first_touch[5] AS utm_medium,
    v.first_touch[6] AS utm_campaign,
    v.first_touch[7] AS utm_term,
    v.first_touch[8] AS utm_content,
    v.first_touch[9] AS channel,
    v.first_touch[10] AS origin,
    v.first_touch[11] AS pathname,
    v.first_touch[12] AS builder_codes,
    v.first_touch[13] AS device,
    v.first_touch[14] AS browser,
    v.first_touch[15] AS os,
    v.first_touch[16] AS location,
    v.first_touch[17] AS rdns,
    v.first_touch[18] AS provider_name,
    v.first_touch[19] AS chain_id,
    v.first_paid[1] AS paid_source,
    v.first_paid[2] AS click_id
FROM joined_alone AS v
)

-- open_events
SELECT * FROM events

-- open_hours
SELECT * FROM events

-- open_sessions
SELECT *, 1 AS weight FROM sessions

-- A partition is materialized: what it is made of, its sessions and its rollups.

SELECT
    project_id,
    anyIf(dedupe_days, day = {day:Date}) AS own_dedupe_days,
    toString(anyIf(depends_on, day = {day:Date})) AS own_depends_on,
    any(now_ms - {settle_ms:Int64}) AS started_ms,
    any(now_ms) AS read_ms,
    groupArrayIf(revision, is_there AND day < {day:Date}) AS earlier
FROM (SELECT
    project_id,
    day,
    revision,
    dedupe_days,
    notEmpty(dedupe_days) AS is_there,
    without_bots,
    earlier AS depends_on,
    now_ms,
    min(is_valid)
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS is_clean,
    max(dirty_ms)
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_dirty_ms,
    max(notEmpty(dedupe_days))
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS has_begun
FROM
(
    SELECT
        *,
        empty(dedupe_days)
            OR (revision > 0 AND dirty_ms < started_ms AND started_ms <= now_ms AND recorded_depends_on = earlier)
            AS is_valid
    FROM
    (
        SELECT
            *,
            toUnixTimestamp64Milli(now64(3)) AS now_ms,
            groupBitXor(if(revision = 0, 0, cityHash64(day, revision)))
                OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
        FROM
        (
            SELECT
                toString(project_id) AS project_id,
                day,
                max(number) AS revision,
                max(marked_ms) AS dirty_ms,
                argMax(begun_ms, number) AS started_ms,
                argMax(depends, number) AS recorded_depends_on,
                argMax(leaves_bots_out, number) AS without_bots,
                groupUniqArrayIf(dedupe_day, number = 0) AS dedupe_days
            FROM
            (
                SELECT
                    project_id,
                    day,
                    dedupe_day,
                    toUInt64(0) AS number,
                    max(toUnixTimestamp64Milli(dirty_at)) OVER (PARTITION BY project_id, dedupe_day) AS marked_ms,
                    toInt64(0) AS begun_ms,
                    toUInt64(0) AS depends,
                    toUInt8(0) AS leaves_bots_out
                FROM dirty_partitions
                WHERE project_id IN {projects:Array(String)}
                UNION ALL
                SELECT
                    project_id, day, day AS dedupe_day, revision, toInt64(0), toUnixTimestamp64Milli(started_at), depends_on,
                    without_bots
                FROM revisions
                WHERE layout = 2 AND project_id IN {projects:Array(String)}
            )
            GROUP BY project_id, day
        )
    )
)
)
WHERE day <= {day:Date}
GROUP BY project_id
HAVING countIf(
        day = {day:Date} AND is_there AND NOT (is_clean AND without_bots = toUInt8(project_id IN {without_bots_in:Array(String)})) AND last_dirty_ms <= now_ms - {settle_ms:Int64}
    ) = 1
    AND countIf(day < {day:Date} AND NOT is_clean) = 0

INSERT INTO session_rows (project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id, revision)
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id, {revision:UInt64}
FROM (
WITH parts AS
(
SELECT
    e.project_id AS project_id,
    e.day AS day,
    e.session AS session,
    e.visitor AS visitor,
    0 AS part,
    0 AS received_to,
    if(e.has_touch = 0, toUInt64(9223372036854775808), toUInt64(0)) + e.rank AS touch_rank,
    e.timestamp AS started_at,
    e.timestamp AS ended_at,
    if(e.type = 'page', 1, 0) AS hits,
    1 AS events,
    if(e.type = 'transaction' AND e.status NOT IN ('started', 'confirmed', 'reverted', 'rejected'), 1, 0) AS transactions,
    if(e.type = 'signature' AND e.status NOT IN ('requested', 'rejected'), 1, 0) AS signatures,
    if(e.type = 'connect', 1, 0) AS connects,
    if(e.type IN ('connect', 'transaction', 'track', 'decoded_log'), 1, 0) AS engagements,
    if(e.type = 'page', e.rank, toUInt64(18446744073709551615)) AS entry_rank,
    if(e.type = 'page', e.rank, toUInt64(0)) AS exit_rank,
    [e.origin, e.pathname] AS entry,
    [e.origin, e.pathname] AS exit,
    if(e.address = '', toUInt64(18446744073709551615), e.rank) AS address_rank,
    e.address AS address,
    if(e.chain_id = '', [], [e.chain_id]) AS chains,
    if(e.rdns = '', [], [e.rdns]) AS rdns_names,
    if(e.address = '', [], [e.address]) AS addresses,
    if(e.type = 'page', [concat(e.origin, ' ', e.pathname)], []) AS pages,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS revenue,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS volume,
    toInt128(floor(e.points * 1e9 + 0.5)) AS points,
    [
        e.referrer, e.referrer_url, e.ref, e.utm_source, e.utm_medium, e.utm_campaign, e.utm_term, e.utm_content,
        e.acquisition, e.origin, e.pathname, e.builder_codes, e.device, e.browser, e.os, e.location, e.rdns,
        e.provider_name, e.chain_id
    ] AS touch,
    if(e.paid_source = '', toUInt64(18446744073709551615), e.rank) AS paid_rank,
    [e.paid_source, if(e.paid_source = '', '', e.click_id)] AS paid
FROM
(
    SELECT *, toUInt64(toUnixTimestamp64Milli(timestamp)) * 1048576 + dedupe_key % 1048576 AS rank
    FROM (SELECT * FROM events_rows FINAL
    WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)})
) AS e
),
of_visitor_alone AS
(
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    p.visitor AS visitor,
    sum(p.hits) AS n_hits,
    sum(p.events) AS n_events,
    sum(p.engagements) AS n_engagements,
    sum(p.transactions) AS n_transactions,
    sum(p.signatures) AS n_signatures,
    sum(p.connects) AS n_connects,
    groupUniqArrayArray(p.chains) AS own_chains,
    groupUniqArrayArray(p.rdns_names) AS own_rdns_names,
    groupUniqArrayArray(p.addresses) AS own_addresses,
    groupUniqArrayArray(p.pages) AS own_pages,
    sum(p.revenue) AS sum_revenue,
    sum(p.volume) AS sum_volume,
    sum(p.points) AS sum_points,
    min(p.touch_rank) AS own_rank,
    argMin(p.touch, p.touch_rank) AS own_touch,
    min(p.started_at) AS own_start,
    max(p.ended_at) AS own_end,
    min(p.entry_rank) AS own_entry_rank,
    argMin(p.entry, p.entry_rank) AS own_entry,
    max(p.exit_rank) AS own_exit_rank,
    argMax(p.exit, p.exit_rank) AS own_exit,
    min(p.address_rank) AS own_address_rank,
    argMin(p.address, p.address_rank) AS own_address,
    min(p.paid_rank) AS own_paid_rank,
    argMin(p.paid, p.paid_rank) AS own_paid
FROM parts AS p
GROUP BY p.project_id, p.day, p.session, p.visitor
),
whole_alone AS
(
SELECT
    o.*,
    min(o.own_rank) OVER whole AS first_rank,
    argMin(o.visitor, o.own_rank) OVER whole AS first_visitor,
    argMin(o.own_touch, o.own_rank) OVER whole AS first_touch,
    min(o.own_start) OVER whole AS started_at,
    max(o.own_end) OVER whole AS ended_at,
    min(o.own_entry_rank) OVER whole AS first_entry_rank,
    argMin(o.own_entry, o.own_entry_rank) OVER whole AS first_entry,
    max(o.own_exit_rank) OVER whole AS last_exit_rank,
    argMax(o.own_exit, o.own_exit_rank) OVER whole AS last_exit,
    min(o.own_address_rank) OVER whole AS first_address_rank,
    argMin(o.own_address, o.own_address_rank) OVER whole AS first_address,
    min(o.own_paid_rank) OVER whole AS first_paid_rank,
    argMin(o.own_paid, o.own_paid_rank) OVER whole AS first_paid,
    sum(o.n_hits) OVER whole AS all_hits,
    sum(o.n_engagements) OVER whole AS all_engagements
FROM of_visitor_alone AS o
WINDOW whole AS (PARTITION BY o.project_id, o.day, o.session)
),
spans AS
(
SELECT
    e.project_id AS project_id,
    e.session AS session,
    toUnixTimestamp64Milli(e.timestamp) % 86400000 AS from_ms,
    toUnixTimestamp64Milli(e.timestamp) % 86400000 AS to_ms
FROM (SELECT * FROM events_rows FINAL
    WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}) AS e
WHERE 1 = 1
),
gaps AS
(
SELECT
    project_id AS gap_project,
    session AS gap_session,
    sumIf(from_ms - reached_ms + 1, is_gap) AS idle_ms,
    arraySort(groupArrayIf(reached_ms - 1, is_gap)) AS gap_starts,
    arraySort(groupArrayIf(from_ms, is_gap)) AS gap_ends
FROM
(
    SELECT project_id, session, from_ms, reached_ms, reached_ms > 0 AND from_ms - reached_ms >= 1800000 AS is_gap
    FROM
    (
        SELECT
            project_id,
            session,
            from_ms,
            max(to_ms + 1) OVER
                (PARTITION BY project_id, session ORDER BY from_ms
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached_ms
        FROM spans
    ) AS reached
) AS every
GROUP BY project_id, session
),
joined_alone AS
(
SELECT
    v.*,
    toUnixTimestamp64Milli(v.ended_at) - toUnixTimestamp64Milli(v.started_at) - coalesce(g.idle_ms, 0) AS active_ms,
    coalesce(g.gap_starts, []) AS gap_starts,
    coalesce(g.gap_ends, []) AS gap_ends
FROM whole_alone AS v
LEFT JOIN gaps AS g ON g.gap_project = v.project_id AND g.gap_session = v.session
)
SELECT
    v.project_id AS project_id,
    v.day AS day,
    v.session AS session,
    v.visitor AS visitor,
    v.visitor = v.first_visitor AS is_first,
    v.started_at AS started_at,
    v.ended_at AS ended_at,
    v.active_ms AS active_ms,
    v.all_hits <= 1 AND v.all_engagements = 0 AND v.active_ms < 10000 AS is_bounce,
    if(v.all_hits = 0, '', v.first_entry[1]) AS entry_origin,
    if(v.all_hits = 0, '', v.first_entry[2]) AS entry_page,
    if(v.all_hits = 0, '', v.last_exit[1]) AS exit_origin,
    if(v.all_hits = 0, '', v.last_exit[2]) AS exit_page,
    v.first_address AS address,
    v.n_hits AS hits,
    v.n_events AS events,
    v.n_transactions AS transactions,
    v.n_signatures AS signatures,
    v.n_connects AS connects,
    v.own_chains AS chains,
    v.own_rdns_names AS rdns_names,
    v.own_addresses AS addresses,
    v.own_pages AS pages,
    v.sum_revenue AS revenue,
    v.sum_volume AS volume,
    v.sum_points AS points,
    v.first_touch[1] AS referrer,
    v.first_touch[2] AS referrer_url,
    v.first_touch[3] AS ref,
    v.first_touch[4] AS utm_source,
    v.first_touch[5] AS utm_medium,
    v.first_touch[6] AS utm_campaign,
    v.first_touch[7] AS utm_term,
    v.first_touch[8] AS utm_content,
    v.first_touch[9] AS channel,
    v.first_touch[10] AS origin,
    v.first_touch[11] AS pathname,
    v.first_touch[12] AS builder_codes,
    v.first_touch[13] AS device,
    v.first_touch[14] AS browser,
    v.first_touch[15] AS os,
    v.first_touch[16] AS location,
    v.first_touch[17] AS rdns,
    v.first_touch[18] AS provider_name,
    v.first_touch[19] AS chain_id,
    v.first_paid[1] AS paid_source,
    v.first_rank AS touch_rank,
    v.first_entry_rank AS entry_rank,
    v.last_exit_rank AS exit_rank,
    v.first_address_rank AS address_rank,
    v.first_paid_rank AS paid_rank,
    v.n_engagements AS engagements,
    v.gap_starts AS gap_starts,
    v.gap_ends AS gap_ends,
    v.first_paid[2] AS click_id
FROM joined_alone AS v
)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, {revision:UInt64}
FROM (
SELECT
    project_id,
    day,
    dimension,
    value,
    seen_before,
    hits,
    sessions,
    visitors,
    revenue,
    volume,
    bounces,
    active_ms,
    transactions,
    events
FROM
(
SELECT
    project_id,
    day,
    'total' AS dimension,
    '' AS value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    sum(own_visitors) AS visitors,
    sum(own_revenue) AS revenue,
    sum(own_volume) AS volume,
    sum(own_bounces) AS bounces,
    sum(own_active_ms) AS active_ms,
    sum(own_transactions) AS transactions,
    sum(own_events) AS events
FROM
(
    SELECT *, at_day AS day, coalesce(
    max(seen_day + 1) OVER
        (PARTITION BY visitor, project_id ORDER BY at_day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    toDate('1970-01-01')
) AS seen_before
    FROM
    (
        SELECT
            v.project_id AS project_id,
            v.visitor AS visitor,
            v.at_day AS at_day,
            max(v.is_due) AS is_of_group,
            max(v.day) AS seen_day,
            max(v.is_in_after) - max(v.is_in_before) AS own_visitors,
            sum(v.weight * v.hits) AS own_hits,
            sumIf(v.weight, v.is_first) AS own_sessions,
            sum(v.weight * v.revenue) AS own_revenue,
            sum(v.weight * v.volume) AS own_volume,
            sumIf(v.weight, v.is_first AND v.is_bounce) AS own_bounces,
            sumIf(v.weight * v.active_ms, v.is_first) AS own_active_ms,
            sum(v.weight * v.transactions) AS own_transactions,
            sum(v.weight * v.events) AS own_events
        FROM (SELECT
    s.*,
    if(s.day < d.first_day, toDate('1970-01-01'), s.day) AS at_day,
    if(s.day < d.first_day, 0, 1) AS is_due,
    1 AS weight,
    0 AS is_in_before,
    1 AS is_in_after
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day <= d.last_day AND s.day <= {last_day:Date} AND (d.without_bots = 0 OR s.device NOT IN ('bot'))) AS v
        WHERE v.visitor % {slices:UInt64} = {slice:UInt64}
            AND v.visitor IN (SELECT visitor FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS g)
        GROUP BY v.project_id, v.visitor, v.at_day
    ) AS of_visitors
) AS seen
WHERE is_of_group = 1
GROUP BY project_id, day, seen_before
) AS counted
)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, {revision:UInt64}
FROM (
SELECT
    project_id,
    day,
    dimension,
    value,
    seen_before,
    hits,
    sessions,
    visitors,
    toInt128(0) AS revenue,
    toInt128(0) AS volume,
    bounces,
    active_ms,
    transactions,
    toInt64(0) AS events
FROM
(
SELECT
    project_id,
    day,
    ['referrer', 'referrer_url', 'ref', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'origin', 'device', 'browser', 'os', 'channel', 'paid_source', 'location'][toInt64(substring(tagged, 1, 2)) - 9] AS dimension,
    substring(tagged, 3) AS value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    sum(own_visitors) AS visitors,
    sum(own_bounces) AS bounces,
    sum(own_active_ms) AS active_ms,
    sum(own_transactions) AS transactions
FROM
(
    SELECT *, at_day AS day, coalesce(
    max(seen_day + 1) OVER
        (PARTITION BY visitor, tagged, project_id ORDER BY at_day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    toDate('1970-01-01')
) AS seen_before
    FROM
    (
        SELECT
            project_id,
            tagged,
            visitor,
            at_day,
            max(is_due) AS is_of_group,
            max(visit_day) AS seen_day,
            max(is_in_after) - max(is_in_before) AS own_visitors,
            sum(visit_hits) AS own_hits,
            sum(visit_sessions) AS own_sessions,
            sum(visit_bounces) AS own_bounces,
            sum(visit_active_ms) AS own_active_ms,
            sum(visit_transactions) AS own_transactions
        FROM
        (
            SELECT
                v.project_id AS project_id,
                v.visitor AS visitor,
                v.at_day AS at_day,
                v.is_due AS is_due,
                v.day AS visit_day,
                v.is_in_before AS is_in_before,
                v.is_in_after AS is_in_after,
                v.weight * v.hits AS visit_hits,
                if(v.is_first, v.weight, 0) AS visit_sessions,
                if(v.is_first AND v.is_bounce, v.weight, 0) AS visit_bounces,
                if(v.is_first, v.weight * v.active_ms, 0) AS visit_active_ms,
                v.weight * v.transactions AS visit_transactions,
                arrayJoin([concat('10', if(v.referrer = '', 'Direct', v.referrer)), concat('11', v.referrer_url), concat('12', v.ref), concat('13', v.utm_source), concat('14', v.utm_medium), concat('15', v.utm_campaign), concat('16', v.utm_term), concat('17', v.utm_content), concat('18', v.origin), concat('19', v.device), concat('20', v.browser), concat('21', v.os), concat('22', v.channel), concat('23', v.paid_source), concat('24', v.location)]) AS tagged
            FROM (SELECT
    s.*,
    if(s.day < d.first_day, toDate('1970-01-01'), s.day) AS at_day,
    if(s.day < d.first_day, 0, 1) AS is_due,
    1 AS weight,
    0 AS is_in_before,
    1 AS is_in_after
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day <= d.last_day AND s.day <= {last_day:Date} AND (d.without_bots = 0 OR s.device NOT IN ('bot'))) AS v
            WHERE v.visitor % {slices:UInt64} = {slice:UInt64}
                AND v.visitor IN (SELECT visitor FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS g)
        ) AS touches
        WHERE tagged != '23'
        GROUP BY project_id, tagged, visitor, at_day
    ) AS of_visitors
) AS seen
WHERE is_of_group = 1
GROUP BY project_id, day, tagged, seen_before
) AS counted
)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, {revision:UInt64}
FROM (
SELECT
    project_id,
    day,
    dimension,
    value,
    seen_before,
    hits,
    sessions,
    visitors,
    toInt128(0) AS revenue,
    toInt128(0) AS volume,
    toInt64(0) AS bounces,
    toInt64(0) AS active_ms,
    toInt64(0) AS transactions,
    toInt64(0) AS events
FROM
(
WITH
    visits AS
    (
SELECT
    'chain_id' AS dimension,
    v.project_id AS project_id,
    v.session AS session,
    v.visitor AS visitor,
    v.at_day AS at_day,
    v.is_due AS is_due,
    v.day AS visit_day,
    v.weight AS weight,
    v.is_in_before AS is_in_before,
    v.is_in_after AS is_in_after,
    arrayJoin(v.chains) AS value
FROM (SELECT
    s.*,
    if(s.day < d.first_day, toDate('1970-01-01'), s.day) AS at_day,
    if(s.day < d.first_day, 0, 1) AS is_due,
    1 AS weight,
    0 AS is_in_before,
    1 AS is_in_after
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day <= d.last_day AND s.day <= {last_day:Date} AND (d.without_bots = 0 OR s.device NOT IN ('bot'))) AS v
WHERE v.visitor IN (SELECT visitor FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS g WHERE notEmpty(chains))
UNION ALL
SELECT
    'rdns' AS dimension,
    v.project_id AS project_id,
    v.session AS session,
    v.visitor AS visitor,
    v.at_day AS at_day,
    v.is_due AS is_due,
    v.day AS visit_day,
    v.weight AS weight,
    v.is_in_before AS is_in_before,
    v.is_in_after AS is_in_after,
    arrayJoin(v.rdns_names) AS value
FROM (SELECT
    s.*,
    if(s.day < d.first_day, toDate('1970-01-01'), s.day) AS at_day,
    if(s.day < d.first_day, 0, 1) AS is_due,
    1 AS weight,
    0 AS is_in_before,
    1 AS is_in_after
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day <= d.last_day AND s.day <= {last_day:Date} AND (d.without_bots = 0 OR s.device NOT IN ('bot'))) AS v
WHERE v.visitor IN (SELECT visitor FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS g WHERE notEmpty(rdns_names))
UNION ALL
SELECT
    'page' AS dimension,
    v.project_id AS project_id,
    v.session AS session,
    v.visitor AS visitor,
    v.at_day AS at_day,
    v.is_due AS is_due,
    v.day AS visit_day,
    v.weight AS weight,
    v.is_in_before AS is_in_before,
    v.is_in_after AS is_in_after,
    arrayJoin(v.pages) AS value
FROM (SELECT
    s.*,
    if(s.day < d.first_day, toDate('1970-01-01'), s.day) AS at_day,
    if(s.day < d.first_day, 0, 1) AS is_due,
    1 AS weight,
    0 AS is_in_before,
    1 AS is_in_after
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day <= d.last_day AND s.day <= {last_day:Date} AND (d.without_bots = 0 OR s.device NOT IN ('bot'))) AS v
WHERE v.visitor IN (SELECT visitor FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS g WHERE notEmpty(pages))
    )
SELECT
    project_id,
    day,
    dimension,
    value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    sum(own_visitors) AS visitors
FROM
(
    SELECT
        project_id,
        at_day AS day,
        dimension,
        value,
        toDate('1970-01-01') AS seen_before,
        toInt64(0) AS own_hits,
        toInt64(uniqExact(if(weight > 0, session, NULL))) - toInt64(uniqExact(if(weight < 0, session, NULL)))
            AS own_sessions,
        toInt64(0) AS own_visitors
    FROM visits
    WHERE is_due = 1 AND session % {slices:UInt64} = {slice:UInt64}
    GROUP BY project_id, at_day, dimension, value
    UNION ALL
    SELECT
        project_id,
        day,
        dimension,
        value,
        toDate('1970-01-01') AS seen_before,
        hits AS own_hits,
        toInt64(0) AS own_sessions,
        toInt64(0) AS own_visitors
    FROM
    (
SELECT
    e.project_id AS project_id,
    e.day AS day,
    'page' AS dimension,
    concat(e.origin, ' ', e.pathname) AS value,
    toInt64(count()) AS hits
FROM (SELECT e.*, d.without_bots AS without_bots
FROM events AS e
INNER JOIN due AS d ON d.due_project = e.project_id
WHERE e.day BETWEEN d.first_day AND d.last_day AND e.day BETWEEN {first_day:Date} AND {last_day:Date}) AS e
WHERE e.type = 'page' AND e.session % {slices:UInt64} = {slice:UInt64} AND (e.project_id, e.session) NOT IN
    (
        SELECT v.project_id, v.session FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS v
        WHERE v.without_bots = 1 AND v.device IN ('bot')
    )
GROUP BY e.project_id, e.day, value
    ) AS viewed
    UNION ALL
    SELECT
        project_id,
        at_day AS day,
        dimension,
        value,
        seen_before,
        toInt64(0) AS own_hits,
        toInt64(0) AS own_sessions,
        toInt64(sum(visitors)) AS own_visitors
    FROM
    (
        SELECT *, coalesce(
    max(seen_day + 1) OVER
        (PARTITION BY visitor, dimension, project_id, value ORDER BY at_day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    toDate('1970-01-01')
) AS seen_before
        FROM
        (
            SELECT
                project_id,
                dimension,
                value,
                visitor,
                at_day,
                max(is_due) AS is_of_group,
                max(visit_day) AS seen_day,
                max(is_in_after) - max(is_in_before) AS visitors
            FROM visits
            WHERE visitor % {slices:UInt64} = {slice:UInt64}
            GROUP BY project_id, dimension, value, visitor, at_day
        ) AS of_visitors
    ) AS seen
    WHERE is_of_group = 1
    GROUP BY project_id, at_day, dimension, value, seen_before
) AS every
GROUP BY project_id, day, dimension, value, seen_before
) AS counted
)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, {revision:UInt64}
FROM (
SELECT
    project_id,
    day,
    dimension,
    value,
    seen_before,
    toInt64(0) AS hits,
    toInt64(0) AS sessions,
    visitors,
    toInt128(0) AS revenue,
    toInt128(0) AS volume,
    toInt64(0) AS bounces,
    toInt64(0) AS active_ms,
    toInt64(0) AS transactions,
    toInt64(0) AS events
FROM
(
SELECT project_id, day, 'wallet' AS dimension, '' AS value, seen_before, sum(own_visitors) AS visitors
FROM
(
    SELECT *, at_day AS day, coalesce(
    max(seen_day + 1) OVER
        (PARTITION BY address, project_id ORDER BY at_day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    toDate('1970-01-01')
) AS seen_before
    FROM
    (
        SELECT
            project_id,
            address,
            at_day,
            max(is_due) AS is_of_group,
            max(visit_day) AS seen_day,
            max(is_in_after) - max(is_in_before) AS own_visitors
        FROM
        (
            SELECT
                v.project_id AS project_id,
                v.at_day AS at_day,
                v.is_due AS is_due,
                v.day AS visit_day,
                v.is_in_before AS is_in_before,
                v.is_in_after AS is_in_after,
                arrayJoin(v.addresses) AS address
            FROM (SELECT
    s.*,
    if(s.day < d.first_day, toDate('1970-01-01'), s.day) AS at_day,
    if(s.day < d.first_day, 0, 1) AS is_due,
    1 AS weight,
    0 AS is_in_before,
    1 AS is_in_after
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day <= d.last_day AND s.day <= {last_day:Date} AND (d.without_bots = 0 OR s.device NOT IN ('bot'))) AS v
            WHERE notEmpty(v.addresses)
        ) AS visits
        WHERE cityHash64(address) % {slices:UInt64} = {slice:UInt64}
            AND address IN (SELECT arrayJoin(addresses) FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS g WHERE notEmpty(addresses))
        GROUP BY project_id, address, at_day
    ) AS of_addresses
) AS seen
WHERE is_of_group = 1
GROUP BY project_id, day, seen_before
) AS counted
)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, {revision:UInt64}
FROM (
SELECT
    project_id,
    day,
    dimension,
    value,
    toDate('1970-01-01') AS seen_before,
    hits,
    sessions,
    toInt64(0) AS visitors,
    toInt128(0) AS revenue,
    toInt128(0) AS volume,
    bounces,
    active_ms,
    toInt64(0) AS transactions,
    toInt64(0) AS events
FROM
(
SELECT
    project_id,
    day,
    dimension,
    value,
    sum(if(dimension = 'hour started', 0, weight * own_hits)) AS hits,
    sum(weight) AS sessions,
    sum(weight * own_bounces) AS bounces,
    sum(weight * own_active_ms) AS active_ms
FROM
(
    SELECT
        project_id,
        day,
        ['entry_page', 'exit_page', 'hour started'][nth] AS dimension,
        ends[nth] AS value,
        weight,
        own_hits,
        own_bounces,
        own_active_ms
    FROM
    (
        SELECT project_id, day, ends, weight, own_hits, own_bounces, own_active_ms, arrayJoin([1, 2, 3]) AS nth
        FROM
        (
            SELECT
                v.project_id AS project_id,
                v.day AS day,
                v.weight AS weight,
                max([
                    concat(v.entry_origin, ' ', v.entry_page),
                    concat(v.exit_origin, ' ', v.exit_page),
                    substring(toString(100 + intDiv(toUnixTimestamp64Milli(v.started_at) % 86400000, 3600000)), 2)
                ]) AS ends,
                sum(v.hits) AS own_hits,
                max(if(v.is_bounce, 1, 0)) AS own_bounces,
                max(v.active_ms) AS own_active_ms
            FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS v
            WHERE v.session % {slices:UInt64} = {slice:UInt64} AND (v.without_bots = 0 OR v.device NOT IN ('bot'))
            GROUP BY v.project_id, v.day, v.session, v.weight
        ) AS of_sessions
    ) AS numbered
) AS every
WHERE own_hits > 0 OR dimension = 'hour started'
GROUP BY project_id, day, dimension, value
) AS counted
)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, {revision:UInt64}
FROM (
SELECT
    project_id,
    day,
    dimension,
    value,
    toDate('1970-01-01') AS seen_before,
    hits,
    toInt64(0) AS sessions,
    toInt64(0) AS visitors,
    toInt128(0) AS revenue,
    toInt128(0) AS volume,
    toInt64(0) AS bounces,
    toInt64(0) AS active_ms,
    toInt64(0) AS transactions,
    toInt64(0) AS events
FROM
(
SELECT
    e.project_id AS project_id,
    e.day AS day,
    concat('event ', e.type) AS dimension,
    e.event AS value,
    count() AS hits
FROM (SELECT e.*, d.without_bots AS without_bots
FROM events AS e
INNER JOIN due AS d ON d.due_project = e.project_id
WHERE e.day BETWEEN d.first_day AND d.last_day AND e.day BETWEEN {first_day:Date} AND {last_day:Date}) AS e
WHERE e.session % {slices:UInt64} = {slice:UInt64} AND (e.project_id, e.session) NOT IN
    (
        SELECT v.project_id, v.session FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS v
        WHERE v.without_bots = 1 AND v.device IN ('bot')
    )
GROUP BY e.project_id, e.day, e.type, e.event
UNION ALL
SELECT
    v.project_id AS project_id,
    v.day AS day,
    'left out' AS dimension,
    v.device AS value,
    sum(v.events) AS hits
FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS v
WHERE v.session % {slices:UInt64} = {slice:UInt64} AND NOT (v.without_bots = 0 OR v.device NOT IN ('bot'))
GROUP BY v.project_id, v.day, v.device
) AS counted
)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, {revision:UInt64}
FROM (
SELECT
    project_id,
    day,
    dimension,
    value,
    toDate('1970-01-01') AS seen_before,
    hits,
    sessions,
    visitors,
    revenue,
    volume,
    toInt64(0) AS bounces,
    toInt64(0) AS active_ms,
    transactions,
    events
FROM
(
SELECT
    project_id,
    day,
    'hour' AS dimension,
    value,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    sum(own_visitors) AS visitors,
    sum(own_revenue) AS revenue,
    sum(own_volume) AS volume,
    sum(own_transactions) AS transactions,
    sum(own_events) AS events
FROM
(
    SELECT
        e.project_id AS project_id,
        e.day AS day,
        substring(toString(100 + intDiv(toUnixTimestamp64Milli(e.timestamp) % 86400000, 3600000)), 2) AS value,
        toInt64(countIf(e.type = 'page')) AS own_hits,
        toInt64(uniqExact(e.session)) AS own_sessions,
        toInt64(0) AS own_visitors,
        sum(toInt128(floor(e.revenue * 1e9 + 0.5))) AS own_revenue,
        sum(toInt128(floor(e.volume * 1e9 + 0.5))) AS own_volume,
        toInt64(sum(if(e.type = 'transaction' AND e.status NOT IN ('started', 'confirmed', 'reverted', 'rejected'), 1, 0))) AS own_transactions,
        toInt64(count()) AS own_events
    FROM (SELECT e.*, d.without_bots AS without_bots
FROM events AS e
INNER JOIN due AS d ON d.due_project = e.project_id
WHERE e.day BETWEEN d.first_day AND d.last_day AND e.day BETWEEN {first_day:Date} AND {last_day:Date}) AS e
    WHERE e.session % {slices:UInt64} = {slice:UInt64} AND (e.project_id, e.session) NOT IN
    (
        SELECT v.project_id, v.session FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS v
        WHERE v.without_bots = 1 AND v.device IN ('bot')
    )
    GROUP BY e.project_id, e.day, value
    UNION ALL
    SELECT
        e.project_id AS project_id,
        e.day AS day,
        substring(toString(100 + intDiv(toUnixTimestamp64Milli(e.timestamp) % 86400000, 3600000)), 2) AS value,
        toInt64(0) AS own_hits,
        toInt64(0) AS own_sessions,
        toInt64(uniqExact(e.visitor)) AS own_visitors,
        toInt128(0) AS own_revenue,
        toInt128(0) AS own_volume,
        toInt64(0) AS own_transactions,
        toInt64(0) AS own_events
    FROM (SELECT e.*, d.without_bots AS without_bots
FROM events AS e
INNER JOIN due AS d ON d.due_project = e.project_id
WHERE e.day BETWEEN d.first_day AND d.last_day AND e.day BETWEEN {first_day:Date} AND {last_day:Date}) AS e
    WHERE e.visitor % {slices:UInt64} = {slice:UInt64} AND (e.project_id, e.session) NOT IN
    (
        SELECT v.project_id, v.session FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS v
        WHERE v.without_bots = 1 AND v.device IN ('bot')
    )
    GROUP BY e.project_id, e.day, value
) AS every
GROUP BY project_id, day, value
) AS counted
)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, {revision:UInt64}
FROM (
SELECT
    project_id,
    day,
    dimension,
    value,
    toDate('1970-01-01') AS seen_before,
    toInt64(0) AS hits,
    toInt64(0) AS sessions,
    visitors,
    toInt128(0) AS revenue,
    toInt128(0) AS volume,
    toInt64(0) AS bounces,
    toInt64(0) AS active_ms,
    toInt64(0) AS transactions,
    toInt64(0) AS events
FROM
(
SELECT
    e.project_id AS project_id,
    e.day AS day,
    'hour wallets' AS dimension,
    substring(toString(100 + intDiv(toUnixTimestamp64Milli(e.timestamp) % 86400000, 3600000)), 2) AS value,
    uniqExact(e.address) AS visitors
FROM (SELECT e.*, d.without_bots AS without_bots
FROM events AS e
INNER JOIN due AS d ON d.due_project = e.project_id
WHERE e.day BETWEEN d.first_day AND d.last_day AND e.day BETWEEN {first_day:Date} AND {last_day:Date}) AS e
WHERE e.address != '' AND cityHash64(e.address) % {slices:UInt64} = {slice:UInt64} AND (e.project_id, e.session) NOT IN
    (
        SELECT v.project_id, v.session FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS v
        WHERE v.without_bots = 1 AND v.device IN ('bot')
    )
GROUP BY e.project_id, e.day, value
) AS counted
)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, volume, bounces, active_ms, transactions, events, {revision:UInt64}
FROM (
SELECT
    project_id,
    day,
    dimension,
    value,
    toDate('1970-01-01') AS seen_before,
    hits,
    toInt64(0) AS sessions,
    toInt64(0) AS visitors,
    revenue,
    volume,
    toInt64(0) AS bounces,
    toInt64(0) AS active_ms,
    toInt64(0) AS transactions,
    toInt64(0) AS events
FROM
(
SELECT
    project_id,
    day,
    concat(if(kind = 1, 'revenue ', 'volume '), ['pathname', 'origin', 'channel', 'paid_source', 'referrer', 'referrer_url', 'ref', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term', 'location', 'device', 'browser', 'os', 'rdns', 'provider_name', 'chain_id', 'event'][toInt64(substring(tagged, 1, 2)) - 9]) AS dimension,
    substring(tagged, 3) AS value,
    if(kind = 1, revenue_hits, volume_hits) AS hits,
    if(kind = 1, sum_revenue, toInt128(0)) AS revenue,
    if(kind = 1, toInt128(0), sum_volume) AS volume
FROM
(
    SELECT *, arrayJoin([1, 2]) AS kind
    FROM
    (
        SELECT
            project_id,
            day,
            tagged,
            sum(if(event_revenue != 0, 1, 0)) AS revenue_hits,
            sum(if(event_volume != 0, 1, 0)) AS volume_hits,
            sum(toInt128(floor(event_revenue * 1e9 + 0.5))) AS sum_revenue,
            sum(toInt128(floor(event_volume * 1e9 + 0.5))) AS sum_volume
        FROM
        (
            SELECT
                e.project_id AS project_id,
                e.day AS day,
                e.revenue AS event_revenue,
                e.volume AS event_volume,
                arrayJoin([concat('10', multiIf(e.pathname != '', e.pathname, e.has_signal, '', s.pathname)), concat('11', multiIf(e.origin != '', e.origin, e.has_signal, '', s.origin)), concat('12', if(e.has_signal, e.acquisition, s.channel)), concat('13', if(e.paid_source != '', e.paid_source, s.paid_source)), concat('14', if(if(e.has_signal, e.referrer, s.referrer) = '', 'Direct', if(e.has_signal, e.referrer, s.referrer))), concat('15', if(e.has_signal, e.referrer_url, s.referrer_url)), concat('16', if(e.has_signal, e.ref, s.ref)), concat('17', if(e.has_signal, e.utm_source, s.utm_source)), concat('18', if(e.has_signal, e.utm_medium, s.utm_medium)), concat('19', if(e.has_signal, e.utm_campaign, s.utm_campaign)), concat('20', if(e.has_signal, e.utm_content, s.utm_content)), concat('21', if(e.has_signal, e.utm_term, s.utm_term)), concat('22', if(e.location != '', e.location, s.location)), concat('23', if(e.device != '', e.device, s.device)), concat('24', if(e.browser != '', e.browser, s.browser)), concat('25', if(e.os != '', e.os, s.os)), concat('26', if(e.rdns != '', e.rdns, s.rdns)), concat('27', if(e.provider_name != '', e.provider_name, s.provider_name)), concat('28', if(e.chain_id != '', e.chain_id, s.chain_id)), concat('29', e.event)]) AS tagged
            FROM
            (
                SELECT *, (e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != '') AS has_signal
                FROM (SELECT e.*, d.without_bots AS without_bots
FROM events AS e
INNER JOIN due AS d ON d.due_project = e.project_id
WHERE e.day BETWEEN d.first_day AND d.last_day AND e.day BETWEEN {first_day:Date} AND {last_day:Date}) AS e
                WHERE (e.revenue != 0 OR e.volume != 0) AND e.session % {slices:UInt64} = {slice:UInt64}
            ) AS e
            INNER JOIN (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS s
                ON s.project_id = e.project_id AND s.day = e.day AND s.session = e.session
            WHERE s.is_first AND (e.without_bots = 0 OR if(e.device != '', e.device, s.device) NOT IN ('bot'))
        ) AS amounts
        WHERE tagged != '13'
        GROUP BY project_id, day, tagged
    ) AS of_values
) AS of_kinds
WHERE if(kind = 1, revenue_hits, volume_hits) > 0
) AS counted
)

INSERT INTO profile_day_rows (project_id, day, address, first_ms, last_ms, sessions, events, transactions, signatures, revenue, volume, points, chains, client_rank, device, browser, os, location_rank, location, user_rank, user_id, last_rank, last_type, last_event, last_properties, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, address, first_ms, last_ms, sessions, events, transactions, signatures, revenue, volume, points, chains, client_rank, device, browser, os, location_rank, location, user_rank, user_id, last_rank, last_type, last_event, last_properties, {revision:UInt64}
FROM (
WITH of_day AS
(
SELECT
    e.project_id AS project_id,
    e.day AS day,
    e.address AS address,
    min(toUnixTimestamp64Milli(e.timestamp)) AS first_ms,
    max(toUnixTimestamp64Milli(e.timestamp)) AS last_ms,
    toInt64(uniqExact(e.session)) AS sessions,
    toInt64(count()) AS events,
    toInt64(sum(if(e.type = 'transaction' AND e.status NOT IN ('started', 'confirmed', 'reverted', 'rejected'), 1, 0))) AS transactions,
    toInt64(sum(if(e.type = 'signature' AND e.status NOT IN ('requested', 'rejected'), 1, 0))) AS signatures,
    sum(toInt128(floor(e.revenue * 1e9 + 0.5))) AS revenue,
    sum(toInt128(floor(e.volume * 1e9 + 0.5))) AS volume,
    sum(toInt128(floor(e.points * 1e9 + 0.5))) AS points,
    arraySort(groupUniqArrayIf(e.chain_id, e.chain_id != '')) AS chains,
    max(if(e.device = '' AND e.browser = '' AND e.os = '', toUInt64(0), e.rank)) AS client_rank,
    argMax([e.device, e.browser, e.os], if(e.device = '' AND e.browser = '' AND e.os = '', toUInt64(0), e.rank)) AS client,
    max(if(e.location = '', toUInt64(0), e.rank)) AS location_rank,
    argMax(e.location, if(e.location = '', toUInt64(0), e.rank)) AS location,
    max(if(e.user_id = '', toUInt64(0), e.rank)) AS user_rank,
    argMax(e.user_id, if(e.user_id = '', toUInt64(0), e.rank)) AS user_id,
    max(e.rank) AS last_rank,
    argMax([e.type, e.event, if(lengthUTF8(e.properties) > 16384, '', e.properties)], e.rank) AS last_one
FROM
(
    SELECT *, toUInt64(toUnixTimestamp64Milli(timestamp)) * 1048576 + dedupe_key % 1048576 AS rank
    FROM (SELECT * FROM (SELECT e.*, d.without_bots AS without_bots
FROM events AS e
INNER JOIN due AS d ON d.due_project = e.project_id
WHERE e.day BETWEEN d.first_day AND d.last_day AND e.day BETWEEN {first_day:Date} AND {last_day:Date}) AS g WHERE address != '' AND cityHash64(address) % {slices:UInt64} = {slice:UInt64})
) AS e
GROUP BY e.project_id, e.day, e.address
)
SELECT
    o.project_id AS project_id,
    o.day AS day,
    o.address AS address,
    o.first_ms AS first_ms,
    o.last_ms AS last_ms,
    o.sessions AS sessions,
    o.events AS events,
    o.transactions AS transactions,
    o.signatures AS signatures,
    o.revenue AS revenue,
    o.volume AS volume,
    o.points AS points,
    o.chains AS chains,
    o.client_rank AS client_rank,
    o.client[1] AS device,
    o.client[2] AS browser,
    o.client[3] AS os,
    o.location_rank AS location_rank,
    o.location AS location,
    o.user_rank AS user_rank,
    o.user_id AS user_id,
    o.last_rank AS last_rank,
    o.last_one[1] AS last_type,
    o.last_one[2] AS last_event,
    o.last_one[3] AS last_properties
FROM of_day AS o
)

INSERT INTO profile_touch_rows (project_id, day, address, seen_day, touch_rank, has_signal, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, paid_source, click_id, revision)
WITH due AS
(
SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots
),
events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, active_ms, is_bounce, entry_origin, entry_page, exit_origin, exit_page, address, hits, events, transactions, signatures, connects, chains, rdns_names, addresses, pages, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, paid_source, click_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, address, seen_day, touch_rank, has_signal, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, paid_source, click_id, {revision:UInt64}
FROM (
WITH reaches AS
(
SELECT
    project_id,
    visitor,
    address,
    day,
    coalesce(
        max(day) OVER
            (PARTITION BY project_id, visitor, address ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
        toDate('1970-01-01')
    ) AS previous_day
FROM
(
    SELECT DISTINCT w.project_id AS project_id, w.visitor AS visitor, w.day AS day, arrayJoin(w.addresses) AS address
    FROM (SELECT s.*, d.first_day AS due_from
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day <= d.last_day AND s.day >= d.first_day - 30
    AND s.day BETWEEN {first_day:Date} - 30 AND {last_day:Date}
    AND (s.project_id, s.visitor) IN
    (
        SELECT v.project_id, v.visitor FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS v WHERE notEmpty(v.addresses)
    )) AS w
    WHERE notEmpty(w.addresses)
) AS pairs
WHERE cityHash64(address) % {slices:UInt64} = {slice:UInt64}
)
SELECT
    r.project_id AS project_id,
    r.day AS day,
    r.address AS address,
    v.day AS seen_day,
    toUInt64(toUnixTimestamp64Milli(v.started_at)) * 1048576 + v.session % 1048576 AS touch_rank,
    if((v.channel NOT IN ('Direct', '') OR v.paid_source != '' OR v.referrer != '' OR v.ref != ''
        OR v.utm_source != '' OR v.utm_medium != '' OR v.utm_campaign != '' OR v.utm_term != '' OR v.utm_content != ''), 1, 0) AS has_signal,
    v.referrer AS referrer,
    v.referrer_url AS referrer_url,
    v.ref AS ref,
    v.utm_source AS utm_source,
    v.utm_medium AS utm_medium,
    v.utm_campaign AS utm_campaign,
    v.utm_term AS utm_term,
    v.utm_content AS utm_content,
    v.channel AS channel,
    v.paid_source AS paid_source,
    v.click_id AS click_id
FROM (SELECT s.*, d.first_day AS due_from
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day <= d.last_day AND s.day >= d.first_day - 30
    AND s.day BETWEEN {first_day:Date} - 30 AND {last_day:Date}
    AND (s.project_id, s.visitor) IN
    (
        SELECT v.project_id, v.visitor FROM (SELECT s.*, d.without_bots AS without_bots, 1 AS weight
FROM sessions AS s
INNER JOIN due AS d ON d.due_project = s.project_id
WHERE s.day BETWEEN d.first_day AND d.last_day AND s.day BETWEEN {first_day:Date} AND {last_day:Date}) AS v WHERE notEmpty(v.addresses)
    )) AS v
INNER JOIN reaches AS r ON r.project_id = v.project_id AND r.visitor = v.visitor
WHERE r.day >= v.due_from
    AND v.day <= r.day AND v.day > r.previous_day AND v.day + 30 >= r.day
    AND (v.origin != '' OR (v.channel NOT IN ('Direct', '') OR v.paid_source != '' OR v.referrer != '' OR v.ref != ''
        OR v.utm_source != '' OR v.utm_medium != '' OR v.utm_campaign != '' OR v.utm_term != '' OR v.utm_content != ''))
)
