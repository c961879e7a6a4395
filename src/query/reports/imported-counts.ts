/** Adds imported days to `counts`, the last CTE of a list. */
import type { Cte } from "../../engines/relations.ts";
import { importedClause } from "../report/imported.ts";
import { readParts, toCtes } from "../report/parts.ts";
import type { ReportContext, ReportStatement } from "../report/report.ts";

/** The columns that imported days have. */
export const IMPORTED_COLUMNS: readonly string[] = [
  ...["referrer", "utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"],
  ...["device", "browser", "os", "location", "page", "entry_page", "exit_page", "custom_event"],
];

const PARTS = readParts("imported_counts");

type Planned = Pick<ReportStatement, "params"> & { readonly ctes: readonly Cte[] };

/** `part` is how `counts` has its value: `values`, or `pages` as origin and path. */
export function withImportedCounts(
  found: Planned,
  { imported }: ReportContext,
  column: string,
  part: "values" | "pages",
): Planned {
  const last = found.ctes.at(-1);
  if (imported.length === 0 || last === undefined || !IMPORTED_COLUMNS.includes(column)) return found;
  const { sql, params } = importedClause(imported, column);
  const [counts] = toCtes(PARTS, [part], { imported: sql });
  return {
    ctes: [...found.ctes.slice(0, -1), { ...last, name: "own_counts" }, { name: "counts", sql: counts?.sql ?? "" }],
    params: { ...found.params, ...params },
  };
}
