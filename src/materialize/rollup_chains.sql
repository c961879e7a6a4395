-- As rollup_sources.sql, by chain: a session counts once under each chain of its events, whichever of its visitors used
-- it, and so does each visitor.
WITH
    visits AS
    (
        SELECT v.session AS session, v.visitor AS visitor, v.day AS visit_day, unnest(v.chains) AS chain
        FROM sessions AS v
        WHERE v.project_id = {project:String}
            AND v.day <= {day:Date}
            AND v.visitor IN
            (
                SELECT visitor FROM sessions
                WHERE project_id = {project:String} AND day = {day:Date} AND notEmpty(chains)
            )
    )
SELECT
    {project:String} AS project_id,
    {day:Date} AS day,
    'chain_id' AS dimension,
    chain AS value,
    toDate('1970-01-01') AS seen_before,
    toInt64(0) AS hits,
    uniqExact(session) AS sessions,
    toInt64(0) AS visitors,
    toInt128(0) AS revenue
FROM visits
WHERE visit_day = {day:Date} AND session % {slices:UInt64} = {slice:UInt64}
GROUP BY chain
UNION ALL
SELECT {project:String}, {day:Date}, 'chain_id', chain, seen_before, toInt64(0), toInt64(0), count(), toInt128(0)
FROM
(
    SELECT chain, visitor, max(if(visit_day < {day:Date}, visit_day + 1, toDate('1970-01-01'))) AS seen_before
    FROM visits
    WHERE visitor % {slices:UInt64} = {slice:UInt64}
    GROUP BY chain, visitor
    HAVING max(visit_day) = {day:Date}
) AS of_visitors
GROUP BY chain, seen_before
