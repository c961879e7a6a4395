/**
 * Days that another product counted. They are sums, so that they answer what is asked about all visits, or about one
 * column, and by the day or longer: nothing else of them is known. Days from the first of the project's own events on
 * are the project's own.
 */
import type { AnalyticsEngine } from "../../engines/port.ts";
import { withParts } from "../../lib/sql.ts";
import { dayIn, UTC } from "../../lib/time-zones.ts";
import type { Clause } from "../filters/condition.ts";
import type { Days } from "./window.ts";

/** An import, and the days of it that count. */
export interface DaysOfImport extends Days {
  readonly id: string;
  readonly source: string;
}

/** The projects of a report, with their imports. */
interface Owner {
  readonly projects: readonly { readonly id: string; readonly imports?: readonly DaysOfImport[] }[];
}

/** For an answer. */
export interface ImportedNote {
  readonly from: string;
  readonly to: string;
  readonly source: string;
  readonly included: boolean;
  readonly reason?: string;
}

type Engine = Pick<AnalyticsEngine, "select" | "relations">;

/** Days of `zone`. Nothing is asked of the engine where no project has an import. */
export async function findImported(
  engine: Engine,
  owner: Owner,
  zone: string,
  signal: AbortSignal,
): Promise<DaysOfImport[]> {
  const having = owner.projects.filter(({ imports = [] }) => imports.length > 0);
  if (having.length === 0) return [];
  const ids = having.map(({ id }) => id);
  const natives = await findFirstDays(engine, ids, zone, signal);
  return having.flatMap(({ id: project, imports = [] }) =>
    imports.flatMap(({ id, source, firstDay, lastDay }) => {
      const native = natives.get(project);
      const last = native === undefined || lastDay < native ? lastDay : dayBefore(native);
      return firstDay > last ? [] : [{ id, source, firstDay, lastDay: last }];
    }),
  );
}

/** The first days of `zone` with events of the projects themselves: those from them on are not the other product's. */
export async function findFirstDays(
  engine: Engine,
  projectIds: readonly string[],
  zone: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { ctes, params, reads } = engine.relations.firstDays(projectIds);
  const sql = withParts(ctes, "SELECT project_id, first_day FROM first_days");
  const { rows } = await engine.select<FirstDay>(sql, { params, reads, signal });
  const found = new Map<string, string>();
  for (const row of rows)
    found.set(row.project_id, zone === UTC ? row.first_day : await firstDayIn(engine, row, zone, signal));
  return found;
}

interface FirstDay {
  readonly project_id: string;
  readonly first_day: string;
}

const FIRST_MOMENT = `SELECT toInt64(toUnixTimestamp64Milli(min(e.timestamp))) AS first_ms
FROM events AS e WHERE e.project_id = {project:String} AND e.day = {day:Date} HAVING count() > 0`;

/**
 * West of Greenwich the first event of a UTC day may be one of the day before, which then has events of its own; east of
 * it one of the day after, and then the UTC day has none.
 */
async function firstDayIn(
  engine: Engine,
  { project_id, first_day }: FirstDay,
  zone: string,
  signal: AbortSignal,
): Promise<string> {
  const params = { project: project_id, day: first_day };
  const { rows } = await engine.select<{ first_ms: number }>(FIRST_MOMENT, { params, signal });
  return rows[0] === undefined ? first_day : dayIn(zone, rows[0].first_ms);
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}

/** A condition on `i`, a relation with the columns of imported_days. */
export function importedClause(imports: readonly DaysOfImport[], dimension: string): Clause {
  const params: Record<string, unknown> = { imported_dimension: dimension };
  const each = imports.map(({ id, lastDay }, nth) => {
    params[`import_${nth}`] = id;
    params[`import_last_${nth}`] = lastDay;
    return `(i.import_id = {import_${nth}:String} AND i.day <= {import_last_${nth}:Date})`;
  });
  return { sql: `i.dimension = {imported_dimension:String} AND (${each.join(" OR ")})`, params };
}

/** Undefined: none of their days is in the window. */
export function noteImported(
  imports: readonly DaysOfImport[],
  window: Days,
  reason: string | undefined,
): ImportedNote | undefined {
  const inWindow = imports.filter(({ firstDay, lastDay }) => firstDay <= window.lastDay && lastDay >= window.firstDay);
  if (inWindow.length === 0) return undefined;
  const days = inWindow.flatMap(({ firstDay, lastDay }) => [firstDay, lastDay]).sort();
  const [first = "", last = ""] = [days[0], days.at(-1)];
  return {
    from: [first, window.firstDay].sort()[1] ?? "",
    to: [last, window.lastDay].sort()[0] ?? "",
    source: [...new Set(inWindow.map(({ source }) => source))].sort().join(", "),
    included: reason === undefined,
    ...(reason === undefined ? {} : { reason }),
  };
}
