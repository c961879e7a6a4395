-- As amounts_by_metric.sql, over the events that match the filters. Few events have revenue: they are the right side of
-- the join, from which the hash table is built.

-- name: counts
SELECT project_id, value, toFloat64(sum(amount)) / 1e9 AS sum_amount
FROM
(
    SELECT e.project_id AS project_id, {value:Expression} AS value, toInt128(floor({amount:Expression} * 1e9 + 0.5)) AS amount
    FROM sessions AS s
    INNER JOIN scope AS p ON p.project_id = s.project_id
    INNER JOIN
    (
        SELECT e.*
        FROM events AS e
        WHERE {e:Window}
            AND {amount:Expression} != 0
            AND {event_filter:Condition}
    ) AS e ON e.project_id = s.project_id AND e.day = s.day AND e.session = s.session
    WHERE {s:Window}
        AND s.day >= p.first_day
        AND s.is_first
        AND {bots:Condition}
        AND {session_filter:Condition}
) AS paid
WHERE {kept:Condition}
GROUP BY project_id, value
