-- The wallets that providers are asked for.

-- name: active
-- Wallets with events that have arrived lately, the most active first.
SELECT a.project_id AS project_id, a.address AS address
FROM arrivals AS a
WHERE startsWith(a.address, '0x')
    AND (a.project_id, a.address) NOT IN (SELECT project_id, address FROM asked)
GROUP BY a.project_id, a.address
ORDER BY count() DESC, a.project_id, a.address
LIMIT {most:UInt32}

-- name: asked
-- Those of which the answer has not expired.
SELECT project_id, address
FROM wallet_properties
WHERE project_id IN {of_projects:Array(String)} AND name = {mark:String} AND is_deleted = 0
    AND toFloat64OrNull(value) > {now_minute:Float64}

-- name: asked_of
SELECT project_id, address
FROM wallet_properties
WHERE project_id IN {of_projects:Array(String)} AND address IN {addresses:Array(String)} AND name = {mark:String}
    AND is_deleted = 0 AND toFloat64OrNull(value) > {now_minute:Float64}
