-- The same over the events that meet the filters.

-- name: counts
SELECT project_id, value, toFloat64(sum(amount)) / 1e9 AS sum_revenue
FROM
(
    SELECT e.project_id AS project_id, {value:Expression} AS value, toInt128(floor(e.revenue * 1e9 + 0.5)) AS amount
    FROM events AS e
    INNER JOIN
    (
        SELECT v.*
        FROM sessions AS v
        INNER JOIN scope AS p ON p.project_id = v.project_id
        WHERE v.project_id IN {projects:Array(String)}
            AND v.day BETWEEN {first_day:Date} AND {last_day:Date}
            AND v.day >= p.first_day
            AND v.is_first
    ) AS s ON s.project_id = e.project_id AND s.day = e.day AND s.session = e.session
    WHERE e.project_id IN {projects:Array(String)}
        AND e.day BETWEEN {first_day:Date} AND {last_day:Date}
        AND e.revenue != 0
        AND {bots:Condition}
        AND {session_filter:Condition}
        AND {event_filter:Condition}
) AS paid
GROUP BY project_id, value
