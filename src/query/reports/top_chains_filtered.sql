-- The same over the sessions and events that meet the filters.
/*running{*/
WITH
/*delta*/
/*}running*/
SELECT
    CAST(project_id, 'String') AS project_id,
    chain.1 AS chain_id,
    countIf(indexOf(chains.1, chain.1) = nth) AS sessions,
    uniqExact(chain.2) AS visitors
FROM
(
    SELECT
        project_id,
        arrayDistinct(arrayFilter(
            (one/*elements*/) -> one.1 != '' AND /*event_filter*/,
            arrayZip(CAST(e_chain, 'Array(String)'), if(empty(e_visitor), arrayWithConstant(length(e_chain), visitors[1]), e_visitor))/*arrays*/)) AS chains
    FROM
    (
        SELECT /*columns*/
        FROM sessions
        WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date} AND snapshot IN {snapshots:Array(UInt64)} AND build IN /*builds*/ /*running{*/AND NOT (session IN delta.2 AND build IN {running:Array(UInt64)})/*}running*/
        /*open{*/
        UNION ALL
        SELECT /*columns*/
        FROM (/*live*/)
        /*}open*/
        /*running{*/
        UNION ALL
        SELECT /*columns*/
        FROM (/*changed*/)
        /*}running*/
    )
    WHERE /*bots*/
        AND /*session_filter*/
)
ARRAY JOIN chains AS chain, arrayEnumerate(chains) AS nth
GROUP BY project_id, chain_id
ORDER BY visitors DESC, sessions DESC, chain_id, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
