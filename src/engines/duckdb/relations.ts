/**
 * The relations of a report. `events`, `sessions` and `rollups` are tables; `scope` holds, per project, the first day
 * and the first dirty day.
 */
import type { Relations } from "../port.ts";

const SCOPE = `SELECT
    p.project_id AS project_id,
    greatest(p.first_day, coalesce(r.removed_before, p.first_day)) AS first_day,
    coalesce(r.clean_through, DATE '1969-12-31') + 1 AS dirty_from
FROM
(
    SELECT unnest({scope_projects:Array(String)}) AS project_id, unnest({scope_first_days:Array(Date)}) AS first_day
) AS p
LEFT JOIN rollup_state AS r ON r.project_id = p.project_id`;

export const relations: Relations = {
  /** No read ahead: one statement reads the state and the rollups, so that both belong to the same snapshot. */
  forReport: async ({ projects }) => ({
    ctes: [{ name: "scope", sql: SCOPE }],
    params: {
      scope_projects: projects.map(({ id }) => id),
      scope_first_days: projects.map(({ firstDay }) => firstDay),
    },
  }),
};
