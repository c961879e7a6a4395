/** The days of an import, as the other product has counted them, and which of them reports count. */
import type { ImportedDay } from "../../contract/imports.ts";
import { findFirstDays, findImported } from "../report/imported.ts";
import { zoneOf } from "../report/question.ts";
import type { Lookup } from "../run/run-lookup.ts";

interface AskedDays {
  readonly importId: string;
  readonly limit: number;
  readonly offset: number;
}

interface DayRow extends Omit<ImportedDay, "durationMs" | "isCounted"> {
  readonly duration_ms: number;
}

const DAYS = `SELECT i.day AS day, i.visitors AS visitors, i.visits AS visits, i.pageviews AS pageviews,
    i.bounces AS bounces, i.duration_ms AS duration_ms
FROM imported_days AS i
WHERE i.project_id = {project:String} AND i.import_id = {import:String} AND i.dimension = 'total'
ORDER BY day
LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;

/** Of the owner's only project. */
export function importedDays({ importId, limit, offset }: AskedDays): Lookup<ImportedDay[]> {
  return {
    name: "imported_days",
    async run({ engine, owner, signal }) {
      const counted = (await findImported(engine, owner, zoneOf(owner), signal)).find(({ id }) => id === importId);
      const project = owner.projects[0]?.id ?? "";
      const params = { project, import: importId, limit, offset };
      const { rows } = await engine.select<DayRow>(DAYS, { params, signal });
      return rows.map(({ duration_ms: durationMs, ...row }) => ({
        ...row,
        durationMs,
        isCounted: counted !== undefined && row.day <= counted.lastDay,
      }));
    },
  };
}

/** The first day with events of the owner's only project itself: days from it on are not imported. */
export const firstOwnDay: Lookup<string | undefined> = {
  name: "first_own_day",
  async run({ engine, owner, signal }) {
    const ids = owner.projects.map(({ id }) => id);
    const [first] = (await findFirstDays(engine, ids, zoneOf(owner), signal)).values();
    return first;
  },
};
