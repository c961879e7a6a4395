-- Distinct wallet addresses, by the day after they were last seen with any visitor.
SELECT 'wallet' AS dimension, '' AS value, seen_before, count() AS visitors
FROM
(
    SELECT address, max(if(visit_day < {day:Date}, visit_day + 1, toDate('1970-01-01'))) AS seen_before
    FROM
    (
        SELECT v.day AS visit_day, arrayJoin(v.addresses) AS address
        FROM sessions AS v
        WHERE v.project_id = {project:String} AND v.day <= {day:Date} AND notEmpty(v.addresses)
            AND v.device NOT IN {left_out:Array(String)}
    ) AS visits
    WHERE cityHash64(address) % {slices:UInt64} = {slice:UInt64}
        AND address IN
        (
            SELECT arrayJoin(addresses) FROM sessions
            WHERE project_id = {project:String} AND day = {day:Date} AND notEmpty(addresses)
        )
    GROUP BY address
    HAVING max(visit_day) = {day:Date}
) AS of_addresses
GROUP BY seen_before
