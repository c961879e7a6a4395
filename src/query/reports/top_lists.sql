-- Sessions and visitors by the values that sessions list (chains, wallets): a session counts once under each value.
-- top_sources.sql explains how rollups and open sessions are combined.

-- name: clean
SELECT
    r.project_id AS project_id,
    r.value AS value,
    r.sessions AS n_sessions,
    if(r.seen_before <= s.first_day, r.visitors, 0) AS n_visitors
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = {dimension:String}

-- name: dirty
SELECT
    v.project_id AS project_id,
    arrayJoin({list:Expression}) AS value,
    v.session AS session,
    v.visitor AS visitor,
    v.weight AS weight
FROM open_sessions AS v {v:InScope}
WHERE {v:DirtyWindow}
    AND {bots:Condition}
    AND notEmpty({list:Expression})

-- name: known
SELECT v.project_id AS project_id, arrayJoin({list:Expression}) AS value, v.visitor AS visitor
FROM sessions AS v {v:InScope}
WHERE {v:SettledWindow}
    AND {bots:Condition}
    AND v.visitor IN (SELECT visitor FROM dirty WHERE weight != 0)

-- name: counts
SELECT project_id, value, sum(n_sessions) AS sessions, sum(n_visitors) AS visitors
FROM
(
    SELECT project_id, value, n_sessions, n_visitors
    FROM clean
    UNION ALL
    SELECT project_id, value, n_sessions, n_visitors
    FROM dirty_counts
) AS every
GROUP BY project_id, value
HAVING sum(n_sessions) > 0
