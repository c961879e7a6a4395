/** How a report finds its relations. `events`, `sessions` and `rollups` are tables here; `scope` says which of their days a project's are read from which. */
import type { Relations } from "../port.ts";

const SCOPE = `SELECT
    p.project_id AS project_id,
    greatest(p.first_day, coalesce(r.removed_before, p.first_day)) AS first_day,
    coalesce(r.clean_through, DATE '1969-12-31') + 1 AS dirty_from
FROM (SELECT unnest({scope_projects:Array(String)}) AS project_id, unnest({scope_first_days:Array(Date)}) AS first_day) AS p
LEFT JOIN rollup_state AS r ON r.project_id = p.project_id`;

export const relations: Relations = {
  /** It reads nothing ahead: the state of the rollups and what they hold have to be of one moment, so one statement finds both. */
  forReport: async ({ projects }) => ({
    ctes: [{ name: "scope", sql: SCOPE }],
    params: {
      scope_projects: projects.map(({ id }) => id),
      scope_first_days: projects.map(({ firstDay }) => firstDay),
    },
  }),
};
