/**
 * The relation `scope` of a report (engines/relations.ts): a row for each project. It reads two small tables, and
 * known-scope.ts keeps its rows while those are the same.
 */
export const SCOPE = `SELECT
    p.project_id AS project_id,
    greatest(p.first_day, coalesce(r.removed_before, p.first_day)) AS first_day,
    if(
        r.without_bots = (p.project_id IN {scope_without_bots:Array(String)}), r.clean_through, DATE '1969-12-31'
    ) + 1 AS dirty_from,
    coalesce(t.day, DATE '9999-12-31') AS running_day,
    coalesce(t.received_to, TIMESTAMP_MS '1900-01-01') AS received_to,
    coalesce(t.hours_to, TIMESTAMP_MS '1900-01-01') AS hours_to
FROM
(
    SELECT unnest({scope_projects:Array(String)}) AS project_id, unnest({scope_first_days:Array(Date)}) AS first_day
) AS p
LEFT JOIN rollup_state AS r ON r.project_id = p.project_id
LEFT JOIN running_days AS t ON t.project_id = p.project_id
    AND t.day > coalesce(r.clean_through, DATE '1969-12-31')
    AND t.without_bots = (p.project_id IN {scope_without_bots:Array(String)})
    AND t.without_bots = coalesce(r.without_bots, t.without_bots)`;
