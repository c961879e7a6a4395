-- Wallets by their stage on a reference day.

-- name: counts
SELECT project_id, stage, sum(is_current) AS user_count, sum(1 - is_current) AS user_count_previous
FROM
(
    {periods:Relation}
) AS every
GROUP BY project_id, stage
