/** The sums of imported days in the warehouse. */
import type { AnalyticsEngine } from "../../engines/port.ts";
import { withParts } from "../../lib/sql.ts";

export interface DaysWarehouse {
  write: AnalyticsEngine["writeImportedDays"];
  /** Of one import. Resolves with the number of sums. */
  remove(projectId: string, importId: string, signal: AbortSignal): Promise<number>;
  /** The first day with events of the project itself. */
  firstDay(projectId: string): Promise<string | undefined>;
}

type Engine = Pick<AnalyticsEngine, "writeImportedDays" | "maintenance" | "relations" | "select">;

export function createDaysWarehouse(engine: Engine): DaysWarehouse {
  return {
    write: (rows) => engine.writeImportedDays(rows),
    remove: (projectId, importId, signal) => engine.maintenance.removeImportedDays({ projectId, importId }, signal),
    async firstDay(projectId) {
      const { ctes, params } = engine.relations.firstDays([projectId]);
      const sql = withParts(ctes, "SELECT first_day FROM first_days");
      return (await engine.select<{ first_day: string }>(sql, { params })).rows[0]?.first_day;
    },
  };
}
