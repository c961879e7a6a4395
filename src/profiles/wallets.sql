-- What the app says about wallets of one project. What was unset is left out.

-- name: kept_properties
SELECT address, name, value, changed_ms
FROM wallet_properties
WHERE project_id = {of_project:String} AND is_deleted = 0

-- name: kept_labels
SELECT address, tag_id, chain_id, value, source, changed_ms
FROM wallet_labels
WHERE project_id = {of_project:String} AND is_deleted = 0

-- name: properties_of
SELECT address, name, value, is_deleted, changed_ms
FROM wallet_properties
WHERE project_id = {of_project:String} AND address IN {addresses:Array(String)}
ORDER BY address, name

-- name: labels_of
SELECT address, tag_id, chain_id, value, source, is_deleted, changed_ms
FROM wallet_labels
WHERE project_id = {of_project:String} AND address IN {addresses:Array(String)}
ORDER BY address, tag_id, chain_id

-- name: named
-- Wallets by a name that the app or a provider gave them.
SELECT address
FROM wallet_properties
WHERE project_id = {of_project:String} AND name = 'ens' AND is_deleted = 0 AND lowerUTF8(value) = {wanted:String}
ORDER BY address
LIMIT 2

-- name: any
-- Whether the app says anything about wallets.
SELECT address
FROM
(
    SELECT address FROM wallet_properties WHERE project_id = {of_project:String} AND changed_ms >= {said_from:UInt64}
    UNION ALL
    SELECT address FROM wallet_labels WHERE project_id = {of_project:String}
) AS every
LIMIT 1

-- name: changes
-- When the app last said something about each wallet, also that something is unset.
SELECT address, toInt64(max(changed_ms)) AS changed_ms
FROM
(
    SELECT address, changed_ms FROM wallet_properties WHERE project_id = {of_project:String}
    UNION ALL
    SELECT address, changed_ms FROM wallet_labels WHERE project_id = {of_project:String}
) AS every
GROUP BY address

-- name: worths
-- What a provider tells of each wallet (NET_WORTH of contract/profile-fields.ts).
SELECT address, toFloat64OrNull(value) AS worth
FROM wallet_properties
WHERE project_id = {of_project:String} AND name = '_net_worth_usd' AND is_deleted = 0

-- name: visits
-- The active days of wallets, as stages.sql reads them.
SELECT project_id, address AS user_key, arrayJoin(activity_days) AS day
FROM profiles

-- name: told
-- Wallets of which the app speaks, and no event. All that events would say is unknown. A provider alone makes no profile.
SELECT {of_project:String} AS project_id, address{constants:Expression}
FROM
(
    SELECT address FROM kept_properties WHERE changed_ms >= {said_from:UInt64}
    UNION ALL
    SELECT address FROM kept_labels
) AS every
WHERE address NOT IN (SELECT address FROM profiles)
GROUP BY address

-- name: told_page
SELECT p.address AS address
FROM told AS p
{join:Expression}
WHERE {condition:Condition}
ORDER BY {order:Expression}
LIMIT {limit:UInt32} OFFSET {offset:UInt32}

-- name: told_count
SELECT count() AS n
FROM told AS p
WHERE {condition:Condition}
