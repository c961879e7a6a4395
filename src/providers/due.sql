-- The wallets that providers are asked for.

-- name: active
-- Wallets with events that have arrived lately, the most active first; the first of each project before the second of
-- any, so that a project with a flood of wallets does not keep the others from theirs.
SELECT project_id, address
FROM (
    SELECT project_id, address, row_number() OVER (PARTITION BY project_id ORDER BY n DESC, address) AS turn
    FROM (
        SELECT a.project_id AS project_id, a.address AS address, count() AS n
        FROM arrivals AS a
        WHERE startsWith(a.address, '0x')
            AND length(a.address) = 42
            AND (a.project_id, a.address) NOT IN (SELECT project_id, address FROM asked)
        GROUP BY a.project_id, a.address
    )
)
ORDER BY turn, project_id
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
