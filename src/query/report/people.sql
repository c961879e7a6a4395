-- Visitors by how often they have done something. Every stored event of a visitor counts, whatever bots are set to.

-- name: people
SELECT project_id, visitor
FROM
(
    SELECT e.project_id AS project_id, e.visitor AS visitor, {marks:Expression}
    FROM events AS e {e:InScope}
    WHERE {e:Projects}
        AND e.day BETWEEN {people_from:Date} AND {people_to:Date}
        AND e.day >= s.first_day
        AND {is_counted:Condition}
) AS done
GROUP BY project_id, visitor
HAVING {is_listed:Condition}
