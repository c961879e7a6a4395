-- What people do after an event: the first events of each session from its first event of the start step on. `visit` is
-- a session of a project, and a `moment` orders its events, as in funnel.sql.

-- name: passed
SELECT
    bitXor(e.session, toUInt64(indexOf({projects:Array(String)}, e.project_id))) AS visit,
    toUInt64(toUnixTimestamp64Milli(e.timestamp)) * 1048576 + e.dedupe_key % 1048576 AS moment,
    {node:Expression} AS node,
    {is_start:Expression} AS is_start,
    {is_end:Expression} AS is_end
FROM events AS e {e:InScope}
WHERE {e:KeptWindow}
    AND {is_kept:Condition}
    AND {event_filter:Condition}

-- name: begun
SELECT visit, min(moment) AS start_moment
FROM passed
WHERE is_start = 1
GROUP BY visit

-- name: followed
SELECT
    p.visit AS visit,
    p.moment AS moment,
    p.node AS node,
    if(p.is_end = 1 AND p.moment > b.start_moment, 1, 0) AS is_end
FROM passed AS p
INNER JOIN begun AS b ON b.visit = p.visit
WHERE p.moment >= b.start_moment
    AND intDiv(p.moment, 1048576) - intDiv(b.start_moment, 1048576) <= {flow_ms:UInt64}

-- name: ended
SELECT visit, min(moment) AS end_moment
FROM followed
WHERE is_end = 1
GROUP BY visit

-- name: converted
-- Paths that reach the end step, up to its first event.
SELECT
    f.visit AS visit,
    f.moment AS moment,
    if(f.moment = t.end_moment, concat(f.node, '__END_MATCH__'), f.node) AS node
FROM followed AS f
INNER JOIN ended AS t ON t.visit = f.visit
WHERE f.moment <= t.end_moment

-- name: matched
-- Paths that have the given nodes at the given places.
SELECT visit
FROM
(
    SELECT visit, node, row_number() OVER (PARTITION BY visit ORDER BY moment) AS place
    FROM {walked:Relation}
) AS placed
WHERE {is_through:Condition}
GROUP BY visit
HAVING count() = {n_through:UInt32}

-- name: passing
SELECT w.visit AS visit, w.moment AS moment, w.node AS node
FROM {walked:Relation} AS w
WHERE w.visit IN (SELECT visit FROM matched)

-- name: pairs
-- Each step of a path has a source and a target, which is empty where the path ends with its source.
SELECT step, source, target, count() AS n_paths
FROM
(
    SELECT
        row_number() OVER (PARTITION BY visit ORDER BY moment) AS step,
        node AS source,
        lead(node, 1, '') OVER (PARTITION BY visit ORDER BY moment) AS target
    FROM {paths:Relation}
) AS placed
WHERE step <= {max_steps:UInt32} AND {is_pair:Condition}
GROUP BY step, source, target

-- name: nodes
-- The most frequent nodes of each place in the paths.
SELECT place, node
FROM
(
    SELECT place, node, row_number() OVER (PARTITION BY place ORDER BY n_of_node DESC, node) AS nth
    FROM
    (
        SELECT step AS place, source AS node, sum(n_paths) AS n_of_node
        FROM pairs
        WHERE step = 1
        GROUP BY step, source
        UNION ALL
        SELECT step + 1 AS place, target AS node, sum(n_paths) AS n_of_node
        FROM pairs
        WHERE target != ''
        GROUP BY step, target
    ) AS every
) AS ranked
WHERE nth <= {nodes_per_step:UInt32}

-- name: counts
SELECT
    step,
    source,
    target,
    transitions,
    toFloat64(transitions) * 100 / sum(transitions) OVER (PARTITION BY step) AS percentage
FROM
(
    SELECT step, shown_source AS source, shown_target AS target, sum(n_paths) AS transitions
    FROM
    (
        SELECT
            step,
            if((step, source) IN (SELECT place, node FROM nodes), source, {other_source:Expression}) AS shown_source,
            if(target = '' OR (step + 1, target) IN (SELECT place, node FROM nodes), target, {other_target:Expression})
                AS shown_target,
            n_paths
        FROM pairs
    ) AS shown
    GROUP BY step, shown_source, shown_target
) AS summed
