WITH scope AS
(
SELECT
    p.project_id AS project_id,
    greatest(p.first_day, coalesce(r.removed_before, p.first_day)) AS first_day,
    if(
        r.without_bots = (p.project_id IN CAST($scope_without_bots AS VARCHAR[])), r.clean_through, DATE '1969-12-31'
    ) + 1 AS dirty_from,
    coalesce(t.day, DATE '9999-12-31') AS running_day,
    coalesce(t.received_to, TIMESTAMP_MS '1900-01-01') AS received_to,
    coalesce(t.hours_to, TIMESTAMP_MS '1900-01-01') AS hours_to
FROM
(
    SELECT unnest(CAST($scope_projects AS VARCHAR[])) AS project_id, unnest(CAST($scope_first_days AS DATE[])) AS first_day
) AS p
LEFT JOIN rollup_state AS r ON r.project_id = p.project_id
LEFT JOIN running_days AS t ON t.project_id = p.project_id
    AND t.day > coalesce(r.clean_through, DATE '1969-12-31')
    AND t.without_bots = (p.project_id IN CAST($scope_without_bots AS VARCHAR[]))
    AND t.without_bots = coalesce(r.without_bots, t.without_bots)
),
left_out AS
(
SELECT v.project_id AS project_id, v.session AS session
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($read_from AS DATE) AND CAST($read_to AS DATE)
    AND v.is_first
    AND NOT (v.device != 'bot')
),
passed AS
(
SELECT
    bitXor(e.session, toUInt64(indexOf(CAST($projects AS VARCHAR[]), e.project_id))) AS visit,
    toUInt64(toUnixTimestamp64Milli(e.timestamp)) * 1048576 + e.dedupe_key % 1048576 AS moment,
    if(e.type = 'page', if(e.pathname = '', e.type, e.pathname),
        if(e.type IN ('track', 'decoded_log'), if(e.event = '', e.type, e.event),
            if(e.type IN ('signature', 'transaction'),
                if(e.status = '', e.type, concat(e.type, ': ', e.status)), e.type))) AS node,
    if(e.type = CAST($start_type AS VARCHAR), if(e.pathname = CAST($start_path AS VARCHAR), 1, 0), 0) AS is_start,
    0 AS is_end
FROM events AS e
INNER JOIN scope AS s ON s.project_id = e.project_id
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND e.day >= s.first_day
    AND (e.project_id, e.session) NOT IN (SELECT project_id, session FROM left_out)
    AND 1 = 1
),
begun AS
(
SELECT visit, min(moment) AS start_moment
FROM passed
WHERE is_start = 1
GROUP BY visit
),
followed AS
(
SELECT
    p.visit AS visit,
    p.moment AS moment,
    p.node AS node,
    if(p.is_end = 1 AND p.moment > b.start_moment, 1, 0) AS is_end
FROM passed AS p
INNER JOIN begun AS b ON b.visit = p.visit
WHERE p.moment >= b.start_moment
    AND intDiv(p.moment, 1048576) - intDiv(b.start_moment, 1048576) <= CAST($flow_ms AS UBIGINT)
),
pairs AS
(
SELECT step, source, target, count() AS n_paths
FROM
(
    SELECT
        row_number() OVER (PARTITION BY visit ORDER BY moment) AS step,
        node AS source,
        lead(node, 1, '') OVER (PARTITION BY visit ORDER BY moment) AS target
    FROM followed
) AS placed
WHERE step <= CAST($max_steps AS UINTEGER) AND target != ''
GROUP BY step, source, target
),
nodes AS
(
SELECT place, node
FROM
(
    SELECT place, node, row_number() OVER (PARTITION BY place ORDER BY n_of_node DESC, node) AS nth
    FROM
    (
        SELECT step AS place, source AS node, sum(n_paths) AS n_of_node
        FROM pairs
        WHERE step = 1
        GROUP BY step, source
        UNION ALL
        SELECT step + 1 AS place, target AS node, sum(n_paths) AS n_of_node
        FROM pairs
        WHERE target != ''
        GROUP BY step, target
    ) AS every
) AS ranked
WHERE nth <= CAST($nodes_per_step AS UINTEGER)
),
counts AS
(
SELECT
    step,
    source,
    target,
    transitions,
    toFloat64(transitions) * 100 / sum(transitions) OVER (PARTITION BY step) AS percentage
FROM
(
    SELECT step, shown_source AS source, shown_target AS target, sum(n_paths) AS transitions
    FROM
    (
        SELECT
            step,
            if((step, source) IN (SELECT place, node FROM nodes), source, 'Others') AS shown_source,
            if(target = '' OR (step + 1, target) IN (SELECT place, node FROM nodes), target, if(endsWith(target, '__END_MATCH__'), 'Others__END_MATCH__', 'Others'))
                AS shown_target,
            n_paths
        FROM pairs
    ) AS shown
    GROUP BY step, shown_source, shown_target
) AS summed
)
SELECT step, source, target, transitions, percentage
FROM counts
ORDER BY step, transitions DESC, source, target
-- first_day, flow_ms, last_day, max_steps, nodes_per_step, projects, read_from, read_to, scope_first_days, scope_projects, scope_without_bots, start_path, start_type
