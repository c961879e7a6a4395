-- The last parts of a report by time: the largest groups of each project, from `totals`.

-- name: ungrouped
SELECT t.*, 1 AS place
FROM totals AS t

-- name: ranks
SELECT project_id, value, row_number() OVER (PARTITION BY project_id ORDER BY first DESC, second DESC, value) AS place
FROM
(
    SELECT project_id, value, {first:Expression} AS first, {second:Expression} AS second
    FROM totals
    WHERE {ranked_in:Condition}
    GROUP BY project_id, value
) AS sizes

-- name: grouped
SELECT t.*, r.place AS place
FROM totals AS t
INNER JOIN (SELECT project_id AS ranked_project, value AS ranked_value, place FROM ranks) AS r
    ON r.ranked_project = t.project_id AND r.ranked_value = t.value
WHERE r.place <= {groups:UInt32}

-- name: of_groups
-- The groups of the window, on the days to compare with.
SELECT t.*, 1 AS place
FROM totals AS t
WHERE t.value IN {values:Array(String)}
