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
followed AS
(
SELECT visit, moment, node, if(is_end = 1 AND moment > start_moment, 1, 0) AS is_end
FROM
(
    SELECT *, min(if(is_start = 1, moment, NULL)) OVER (PARTITION BY visit) AS start_moment
    FROM passed
) AS begun
WHERE moment >= start_moment
    AND intDiv(moment, 1048576) - intDiv(start_moment, 1048576) <= CAST($flow_ms AS UBIGINT)
),
placed AS
(
SELECT
    visit,
    moment,
    node,
    row_number() OVER (PARTITION BY visit ORDER BY moment) AS place,
    lead(node, 1, '') OVER (PARTITION BY visit ORDER BY moment) AS next_node
FROM followed
),
shown AS
(
SELECT visit, moment, place, if(nth <= CAST($nodes_per_step AS UINTEGER), node, if(endsWith(node, '__END_MATCH__'), 'Others__END_MATCH__', 'Others')) AS shown_node
FROM
(
    SELECT *, dense_rank() OVER (PARTITION BY place ORDER BY n_of_node DESC, node) AS nth
    FROM
    (
        SELECT
            *,
            sum(if(place > 1 OR next_node != '', 1, 0)) OVER (PARTITION BY place, node) AS n_of_node
        FROM placed
        WHERE place <= CAST($max_steps AS UINTEGER) + 1
    ) AS counted
) AS ranked
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
    SELECT step, source, target, count() AS transitions
    FROM
    (
        SELECT
            place AS step,
            shown_node AS source,
            lead(shown_node, 1, '') OVER (PARTITION BY visit ORDER BY moment) AS target
        FROM shown
    ) AS pairs
    WHERE step <= CAST($max_steps AS UINTEGER) AND target != ''
    GROUP BY step, source, target
) AS summed
)
SELECT step, source, target, transitions, percentage
FROM counts
ORDER BY step, transitions DESC, source, target
-- first_day, flow_ms, last_day, max_steps, nodes_per_step, projects, read_from, read_to, scope_first_days, scope_projects, scope_without_bots, start_path, start_type
