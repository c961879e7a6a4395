/** The first day with events of each project: "all time" begins with it, and nothing is compared with days before. */
import type { FirstDaysAnswer } from "../../contract/first-days.ts";
import { withParts } from "../../lib/sql.ts";
import { latestDay } from "../../lib/time.ts";
import { dayIn, UTC } from "../../lib/time-zones.ts";
import { firstKeptDay } from "../../materialize/kept-days.ts";
import type { Lookup, LookupContext } from "../run/run-lookup.ts";

export const firstDays: Lookup<FirstDaysAnswer> = { name: "first_days", run: queryFirstDays };

interface FirstDayRow {
  readonly project_id: string;
  readonly first_day: string;
}

async function queryFirstDays({ engine, owner, nowMs, signal }: LookupContext): Promise<FirstDaysAnswer> {
  const { ctes, params, reads } = engine.relations.firstDays(owner.projects.map(({ id }) => id));
  const sql = withParts(ctes, "SELECT project_id, first_day FROM first_days");
  const { rows } =
    owner.projects.length === 0 ? { rows: [] } : await engine.select<FirstDayRow>(sql, { params, reads, signal });
  const byId = new Map(rows.map(({ project_id, first_day }) => [project_id, first_day]));
  return {
    data: owner.projects.map(({ id, retentionDays, timezone = UTC, imports = [] }) => {
      const found = [byId.get(id), ...imports.map(({ firstDay }) => firstDay)]
        .filter((day) => day !== undefined)
        .sort()[0];
      // Reports leave out what is beyond the retention before it is removed.
      const kept = retentionDays === null ? [] : [firstKeptDay(retentionDays, nowMs)];
      const first = found === undefined ? null : dayIn(timezone, Date.parse(latestDay([found, ...kept])));
      return { project_id: id, first_day: first };
    }),
  };
}
