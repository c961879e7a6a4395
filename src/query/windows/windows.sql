-- Figures in windows of time that may lie over each other. Cells are numbered from 1; a window has `window_cells` of them.

-- name: counted_events
SELECT {bucket:Expression} AS bucket, toFloat64(count()) AS n
FROM {passed:Relation}
WHERE {held:Condition}
GROUP BY bucket

-- name: seen
-- The cells in which a session, a visitor or a wallet was seen.
SELECT {bucket:Expression} AS cell, {key:Expression} AS seen_key
FROM events AS e
INNER JOIN (SELECT v.project_id AS project_id, v.session AS session FROM chosen AS v WHERE v.visits = 1) AS c
    ON c.project_id = e.project_id AND c.session = e.session
WHERE {e:Window}
    AND {held:Condition}
    AND {has_key:Condition}
GROUP BY cell, seen_key

-- name: neighbours
-- 0: seen in no earlier, or no later cell. The engines answer an empty frame with 0 and with NULL.
SELECT
    cell,
    coalesce(max(cell) OVER (PARTITION BY seen_key ORDER BY cell ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING), 0) AS cell_before,
    coalesce(max(cell) OVER (PARTITION BY seen_key ORDER BY cell ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING), 0) AS cell_after
FROM seen

-- name: changes
-- Who is seen in a cell is in the windows that end with it and in the next ones, up to `window_cells`. `entering` were
-- not in the window that ended one cell before; `leaving` are not in the window that ends `window_cells` later.
SELECT
    cell,
    toFloat64(sum(if(cell_before = 0 OR cell - cell_before >= {window_cells:Int64}, 1, 0))) AS entering,
    toFloat64(sum(if(cell_after = 0 OR cell_after - cell >= {window_cells:Int64}, 1, 0))) AS leaving
FROM neighbours
GROUP BY cell

-- name: ledger
SELECT {bucket:Expression} AS bucket, outcome, toFloat64(sum(events)) AS n_events
FROM ledger
WHERE project_id IN {projects:Array(String)}
    AND minute >= fromUnixTimestamp64Milli({first_ms:Int64})
    AND minute < fromUnixTimestamp64Milli({last_ms:Int64})
    AND {held:Condition}
GROUP BY bucket, outcome

-- name: matching_days
SELECT e.day AS matched_day, toFloat64(count()) AS n
FROM events AS e {e:InScope}
WHERE {e:KeptWindow}
    AND {matched:Condition}
GROUP BY matched_day

-- name: seen_wallets
SELECT e.address AS wallet, max(toUnixTimestamp64Milli(e.timestamp)) AS last_ms
FROM events AS e {e:InScope}
WHERE {e:KeptWindow}
    AND e.address != ''
    AND {matched:Condition}
GROUP BY wallet

-- name: wallet_moments
SELECT e.address AS wallet, toUnixTimestamp64Milli(e.timestamp) AS at_ms
FROM events AS e {e:InScope}
WHERE {e:KeptWindow}
    AND e.address IN {wallets:Array(String)}
    AND {matched:Condition}
GROUP BY wallet, at_ms
