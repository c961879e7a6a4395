-- The rows of the next wallets after one, with those that were unset.
SELECT {columns:Expression}
FROM {wallets:Relation}
WHERE (project_id, address) IN
(
    SELECT project_id, address
    FROM {wallets:Relation}
    WHERE project_id > {project:String} OR (project_id = {project:String} AND address > {address:String})
    GROUP BY project_id, address
    ORDER BY project_id, address
    LIMIT {most:UInt32}
)
ORDER BY project_id, address
