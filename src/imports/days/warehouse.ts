/** The sums of imported days in the warehouse. */
import type { AnalyticsEngine } from "../../engines/port.ts";
import { findFirstDays } from "../../query/report/imported.ts";

export interface DaysWarehouse {
  write: AnalyticsEngine["writeImportedDays"];
  /** Of one import. Resolves with the number of sums. */
  remove(projectId: string, importId: string, signal: AbortSignal): Promise<number>;
  /** The first day of a zone with events of the project itself. */
  firstDay(projectId: string, zone: string, signal: AbortSignal): Promise<string | undefined>;
}

type Engine = Pick<AnalyticsEngine, "writeImportedDays" | "maintenance" | "relations" | "select">;

export function createDaysWarehouse(engine: Engine): DaysWarehouse {
  return {
    write: (rows) => engine.writeImportedDays(rows),
    remove: (projectId, importId, signal) => engine.maintenance.removeImportedDays({ projectId, importId }, signal),
    firstDay: async (projectId, zone, signal) =>
      (await findFirstDays(engine, [projectId], zone, signal)).get(projectId),
  };
}
