-- The paths of flow.sql for an engine that computes a CTE again for each of its readers: every part has one reader. With
-- the parts of flow.sql, ClickHouse read the events of a filtered flow 40 times. `visit`, `moment` and the rows of
-- `counts` are those of flow.sql; DuckDB, which computes a part once, uses those.

-- name: followed
SELECT visit, moment, node, if(is_end = 1 AND moment > start_moment, 1, 0) AS is_end
FROM
(
    SELECT *, min(if(is_start = 1, moment, NULL)) OVER (PARTITION BY visit) AS start_moment
    FROM passed
) AS begun
WHERE moment >= start_moment
    AND intDiv(moment, 1048576) - intDiv(start_moment, 1048576) <= {flow_ms:UInt64}

-- name: converted
SELECT visit, moment, if(moment = end_moment, concat(node, '__END_MATCH__'), node) AS node
FROM
(
    SELECT *, min(if(is_end = 1, moment, NULL)) OVER (PARTITION BY visit) AS end_moment
    FROM followed
) AS ended
WHERE moment <= end_moment

-- name: placed
SELECT
    visit,
    moment,
    node,
    row_number() OVER (PARTITION BY visit ORDER BY moment) AS place,
    lead(node, 1, '') OVER (PARTITION BY visit ORDER BY moment) AS next_node
FROM {walked:Relation}

-- name: passing
SELECT visit, moment, node, place, next_node
FROM
(
    SELECT *, sum(if({is_through:Condition}, 1, 0)) OVER (PARTITION BY visit) AS n_matching
    FROM placed
) AS matched
WHERE n_matching = {n_through:UInt32}

-- name: shown
-- The most frequent nodes of each place, and all others together. The first node of a path without a second one is a
-- step only where ends are counted.
SELECT visit, moment, place, if(nth <= {nodes_per_step:UInt32}, node, {other:Expression}) AS shown_node
FROM
(
    SELECT *, dense_rank() OVER (PARTITION BY place ORDER BY n_of_node DESC, node) AS nth
    FROM
    (
        SELECT
            *,
            sum(if(place > 1 OR {is_step:Condition}, 1, 0)) OVER (PARTITION BY place, node) AS n_of_node
        FROM {paths:Relation}
        WHERE place <= {max_steps:UInt32} + 1
    ) AS counted
) AS ranked

-- name: counts
SELECT
    step,
    source,
    target,
    transitions,
    toFloat64(transitions) * 100 / sum(transitions) OVER (PARTITION BY step) AS percentage
FROM
(
    SELECT step, source, target, count() AS transitions
    FROM
    (
        SELECT
            place AS step,
            shown_node AS source,
            lead(shown_node, 1, '') OVER (PARTITION BY visit ORDER BY moment) AS target
        FROM shown
    ) AS pairs
    WHERE step <= {max_steps:UInt32} AND {is_pair:Condition}
    GROUP BY step, source, target
) AS summed
