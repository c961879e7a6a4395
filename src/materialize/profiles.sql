-- name: days
-- What the events of one day say of each wallet: a row for each project, day and address. Ranks order events as those of
-- sessions do: by time, and events of the same time by their dedupe key. A rank of 0 says that no event knows the value.
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

-- name: of_day
SELECT
    e.project_id AS project_id,
    e.day AS day,
    e.address AS address,
    min(toUnixTimestamp64Milli(e.timestamp)) AS first_ms,
    max(toUnixTimestamp64Milli(e.timestamp)) AS last_ms,
    toInt64(uniqExact(e.session)) AS sessions,
    toInt64(count()) AS events,
    toInt64(sum({is_transaction:Expression})) AS transactions,
    toInt64(sum({is_signature:Expression})) AS signatures,
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
    FROM {events:Relation}
) AS e
GROUP BY e.project_id, e.day, e.address

-- name: touches
-- The sessions that count as touches of each wallet. A session of a visitor counts for a wallet through the first day
-- from its own on, within 30 days, on which the visitor has an event with the wallet: a row belongs to the partition of
-- that day, and `seen_day` is the session's own. So each session counts through one partition, and the rows of a
-- partition depend on the 30 days before it and on none after it. A session without a page and a source is no touch.
SELECT
    r.project_id AS project_id,
    r.day AS day,
    r.address AS address,
    v.day AS seen_day,
    toUInt64(toUnixTimestamp64Milli(v.started_at)) * 1048576 + v.session % 1048576 AS touch_rank,
    if({has_signal:Condition}, 1, 0) AS has_signal,
    {columns:Expression}
FROM {sessions:Relation} AS v
INNER JOIN reaches AS r ON r.project_id = v.project_id AND r.visitor = v.visitor
WHERE {due:Condition}
    AND v.day <= r.day AND v.day > r.previous_day AND v.day + {touch_days:Expression} >= r.day
    AND (v.origin != '' OR {has_signal:Condition})

-- name: reaches
-- The days on which a visitor has an event with a wallet, each with the day before it on which they had.
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
    FROM {sessions:Relation} AS w
    WHERE notEmpty(w.addresses)
) AS pairs
WHERE {some_addresses:Condition}

-- name: parts_of_days
SELECT
    d.project_id AS project_id,
    d.address AS address,
    d.day AS last_day,
    d.first_ms AS first_ms,
    d.last_ms AS last_ms,
    d.sessions AS sessions,
    d.events AS events,
    d.transactions AS transactions,
    d.signatures AS signatures,
    d.revenue AS revenue,
    d.volume AS volume,
    d.points AS points,
    d.chains AS chains,
    [d.day] AS activity_days,
    d.client_rank AS client_rank,
    [d.device, d.browser, d.os] AS client,
    d.location_rank AS location_rank,
    d.location AS location,
    d.user_rank AS user_rank,
    d.user_id AS user_id,
    d.last_rank AS last_rank,
    [d.last_type, d.last_event, d.last_properties] AS last_one,
    toUInt64(18446744073709551615) AS first_touch_rank,
    {no_touch:Expression} AS first_touch,
    toUInt64(0) AS last_touch_rank,
    {no_touch:Expression} AS last_touch
FROM {days:Relation} AS d

-- name: parts_of_touches
-- The last touch is the last that has a source; only without any it is the last visit.
SELECT
    t.project_id AS project_id,
    t.address AS address,
    t.day AS last_day,
    toInt64(9223372036854775807) AS first_ms,
    toInt64(0) AS last_ms,
    toInt64(0) AS sessions,
    toInt64(0) AS events,
    toInt64(0) AS transactions,
    toInt64(0) AS signatures,
    toInt128(0) AS revenue,
    toInt128(0) AS volume,
    toInt128(0) AS points,
    {no_texts:Expression} AS chains,
    {no_days:Expression} AS activity_days,
    toUInt64(0) AS client_rank,
    ['', '', ''] AS client,
    toUInt64(0) AS location_rank,
    '' AS location,
    toUInt64(0) AS user_rank,
    '' AS user_id,
    toUInt64(0) AS last_rank,
    ['', '', ''] AS last_one,
    t.touch_rank AS first_touch_rank,
    {touch:Expression} AS first_touch,
    if(t.has_signal = 1, toUInt64(9223372036854775808), toUInt64(0)) + t.touch_rank AS last_touch_rank,
    {touch:Expression} AS last_touch
FROM {touches:Relation} AS t

-- name: parts_of_sums
-- Merged rows as parts of a later merge.
SELECT
    u.project_id AS project_id,
    u.address AS address,
    u.last_day AS last_day,
    u.first_seen_ms AS first_ms,
    u.last_seen_ms AS last_ms,
    u.sessions AS sessions,
    u.events AS events,
    u.transactions AS transactions,
    u.signatures AS signatures,
    u.revenue AS revenue,
    u.volume AS volume,
    u.points AS points,
    u.chains AS chains,
    u.activity_days AS activity_days,
    u.client_rank AS client_rank,
    [u.device, u.browser, u.os] AS client,
    u.location_rank AS location_rank,
    u.location AS location,
    u.user_rank AS user_rank,
    u.user_id AS user_id,
    u.last_rank AS last_rank,
    [u.last_type, u.last_event, u.last_properties] AS last_one,
    u.first_touch_rank AS first_touch_rank,
    {first_touch:Expression} AS first_touch,
    u.last_touch_rank AS last_touch_rank,
    {last_touch:Expression} AS last_touch
FROM {sums:Relation} AS u

-- name: merged
-- THE definition of a profile: sums, and the values with the lowest or the highest rank. So any order of parts gives the
-- same row.
SELECT
    q.project_id AS project_id,
    q.address AS address,
    max(q.last_day) AS last_day,
    min(q.first_ms) AS first_ms,
    max(q.last_ms) AS last_ms,
    toInt64(sum(q.sessions)) AS sessions,
    toInt64(sum(q.events)) AS events,
    toInt64(sum(q.transactions)) AS transactions,
    toInt64(sum(q.signatures)) AS signatures,
    sum(q.revenue) AS revenue,
    sum(q.volume) AS volume,
    sum(q.points) AS points,
    arraySort(groupUniqArrayArray(q.chains)) AS chains,
    arraySort(groupUniqArrayArray(q.activity_days)) AS activity_days,
    max(q.client_rank) AS client_rank,
    argMax(q.client, q.client_rank) AS client,
    max(q.location_rank) AS location_rank,
    argMax(q.location, q.location_rank) AS location,
    max(q.user_rank) AS user_rank,
    argMax(q.user_id, q.user_rank) AS user_id,
    max(q.last_rank) AS last_rank,
    argMax(q.last_one, q.last_rank) AS last_one,
    min(q.first_touch_rank) AS first_touch_rank,
    argMin(q.first_touch, q.first_touch_rank) AS first_touch,
    max(q.last_touch_rank) AS last_touch_rank,
    argMax(q.last_touch, q.last_touch_rank) AS last_touch
FROM parts AS q
GROUP BY q.project_id, q.address

-- name: sums
SELECT
    m.project_id AS project_id,
    m.address AS address,
    m.last_day AS last_day,
    m.first_ms AS first_seen_ms,
    m.last_ms AS last_seen_ms,
    m.sessions AS sessions,
    m.events AS events,
    m.transactions AS transactions,
    m.signatures AS signatures,
    m.revenue AS revenue,
    m.volume AS volume,
    m.points AS points,
    m.chains AS chains,
    m.activity_days AS activity_days,
    m.client_rank AS client_rank,
    m.client[1] AS device,
    m.client[2] AS browser,
    m.client[3] AS os,
    m.location_rank AS location_rank,
    m.location AS location,
    m.user_rank AS user_rank,
    m.user_id AS user_id,
    m.last_rank AS last_rank,
    m.last_one[1] AS last_type,
    m.last_one[2] AS last_event,
    m.last_one[3] AS last_properties,
    m.first_touch_rank AS first_touch_rank,
    m.last_touch_rank AS last_touch_rank,
    {touches:Expression}
FROM merged AS m
