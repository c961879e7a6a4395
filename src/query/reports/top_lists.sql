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
    AND v.visitor IN (SELECT visitor FROM dirty)

-- name: counts
SELECT project_id, value, sum(n_sessions) AS sessions, sum(n_visitors) AS visitors
FROM
(
    SELECT project_id, value, n_sessions, n_visitors
    FROM clean
    UNION ALL
    SELECT
        project_id,
        value,
        toInt64(if(is_visitor = 0, max(is_now) - max(is_rolled_up), 0)) AS n_sessions,
        toInt64(if(is_visitor = 1, max(is_now) - max(is_rolled_up), 0)) AS n_visitors
    FROM
    (
        SELECT
            project_id,
            value,
            0 AS is_visitor,
            session AS who,
            if(weight > 0, 1, 0) AS is_now,
            if(weight < 0, 1, 0) AS is_rolled_up
        FROM dirty
        UNION ALL
        SELECT
            project_id,
            value,
            1 AS is_visitor,
            visitor AS who,
            if(weight > 0, 1, 0) AS is_now,
            if(weight < 0, 1, 0) AS is_rolled_up
        FROM dirty
        UNION ALL
        SELECT project_id, value, 1 AS is_visitor, visitor AS who, 1 AS is_now, 1 AS is_rolled_up
        FROM known
    ) AS visits
    GROUP BY project_id, value, is_visitor, who
) AS every
GROUP BY project_id, value
HAVING sum(n_sessions) > 0
