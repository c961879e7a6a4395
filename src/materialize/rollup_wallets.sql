-- Distinct wallet addresses, by the day after they were last seen with any visitor.
SELECT project_id, day, 'wallet' AS dimension, '' AS value, seen_before, sum(own_visitors) AS visitors
FROM
(
    SELECT *, at_day AS day, {seen_before:Expression} AS seen_before
    FROM
    (
        SELECT
            project_id,
            address,
            at_day,
            max(is_due) AS is_of_group,
            max(visit_day) AS seen_day,
            max(is_in_after) - max(is_in_before) AS own_visitors
        FROM
        (
            SELECT
                v.project_id AS project_id,
                v.at_day AS at_day,
                v.is_due AS is_due,
                {visit_day:Expression} AS visit_day,
                v.is_in_before AS is_in_before,
                v.is_in_after AS is_in_after,
                arrayJoin(v.addresses) AS address
            FROM {history:Relation} AS v
            WHERE notEmpty(v.addresses)
        ) AS visits
        WHERE cityHash64(address) % {slices:UInt64} = {slice:UInt64}
            AND address IN (SELECT arrayJoin(addresses) FROM {due_sessions:Relation} AS g WHERE notEmpty(addresses))
        GROUP BY project_id, address, at_day
    ) AS of_addresses
) AS seen
WHERE is_of_group = 1
GROUP BY project_id, day, seen_before
