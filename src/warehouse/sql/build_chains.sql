-- Who was seen on which chain on one day, by its sessions: each counts once under each of its chains, with the first visitor there.
INSERT INTO chain_visitors (project_id, day, build, snapshot, chain_id, visitor, sessions)
SELECT
    project_id,
    day,
    build,
    {snapshot:UInt64},
    chain.1 AS chain_id,
    chain.2 AS visitor,
    countIf(indexOf(chains.1, chain.1) = nth) AS sessions
FROM
(
    SELECT
        project_id,
        day,
        build,
        arrayDistinct(arrayFilter(one -> one.1 != '', arrayZip(CAST(e_chain, 'Array(String)'), if(empty(e_visitor), arrayWithConstant(length(e_chain), visitors[1]), e_visitor)))) AS chains
    FROM sessions
    WHERE project_id IN {projects:Array(String)} AND day = {day:Date} AND build > {build:UInt64} AND build <= {build:UInt64} + length({projects:Array(String)})
)
ARRAY JOIN chains AS chain, arrayEnumerate(chains) AS nth
WHERE visitor % {chunks:UInt32} = {chunk:UInt32}
GROUP BY project_id, day, build, chain_id, visitor
