/** The figures of kpis, and the number of events, in windows of any length: `kpis` itself has whole hours and days. */
import type { Cte } from "../../engines/relations.ts";
import { readWindowParts, toCtes } from "../report/parts.ts";
import { defineReport, type Report, type Row } from "../report/report.ts";
import { chooseEvents } from "../reports/chosen-events.ts";
import { KPI_FIGURES, kpiTotalsByTime } from "../reports/kpi-parts.ts";
import { addWindows } from "./add-windows.ts";
import { bucketsOfComb, bucketsOfGrid, type Comb, type Grid } from "./spans.ts";

const PARTS = readWindowParts(new URL("./windows.sql", import.meta.url));

export const FIGURE_NAMES = [
  "events",
  "sessions",
  "pageviews",
  "bounce_rate",
  "avg_session_sec",
  "visitors",
  "wallets",
  "transactions",
  "revenue",
  "volume",
] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];

/** What of an event is counted once in a window. */
const KEYS = { sessions: "e.session", visitors: "e.visitor", wallets: "e.address" } as const;
export type DistinctFigure = keyof typeof KEYS;

export function isDistinct(name: FigureName): name is DistinctFigure {
  return name in KEYS;
}

/** Numbers that add up: a figure is one of them, or a quotient of two. */
export type Counted = Readonly<Record<string, number>>;

/** Null: nothing to divide by. */
export function figureOf(name: FigureName, counted: Counted): number | null {
  const share = (of: string, unit: number) =>
    (counted.entries ?? 0) === 0 ? null : (counted[of] ?? 0) / (counted.entries ?? 1) / unit;
  if (name === "bounce_rate") return share("bounces", 1);
  if (name === "avg_session_sec") return share("active_ms", 1000);
  return counted[name] ?? 0;
}

const events = { name: "events", type: "Float64", from: "n" } as const;
const bucket = { name: "bucket", type: "Int64" } as const;
const nothing = () => undefined;

/** A row for each span of the comb, or cell of the grid, in which anything happened. */
export function figuresIn(spans: Comb | Grid, name: FigureName): Report {
  const buckets = "endMs" in spans ? bucketsOfComb(spans) : bucketsOfGrid(spans);
  if (name === "events")
    return defineReport({
      read: nothing,
      plan(_own, context) {
        const { ctes, params, passed } = chooseEvents(context);
        const texts = { passed, bucket: buckets.ofTime("day", "at_ms"), held: buckets.holds?.("at_ms") ?? "1 = 1" };
        return {
          ctes: asCounts([...ctes, ...toCtes(PARTS, ["counted_events"], texts)]),
          params: { ...params, ...buckets.params },
          columns: [bucket, events],
          order: ["bucket"],
        };
      },
    });
  return defineReport({
    read: nothing,
    plan(_own, context) {
      const { ctes, params } = kpiTotalsByTime(context, buckets);
      return {
        ctes: asCounts(ctes),
        params: { ...params, ...buckets.params },
        columns: [bucket, ...KPI_FIGURES.map((figure) => ({ name: figure, type: "Float64" as const }))],
        order: ["bucket"],
      };
    },
  });
}

/** Who enters and leaves the windows of a grid, cell by cell. */
export function changesIn(grid: Grid, name: DistinctFigure): Report {
  const buckets = bucketsOfGrid(grid);
  const at = "toUnixTimestamp64Milli(e.timestamp)";
  const texts = {
    bucket: buckets.ofTime("e.day", at),
    held: buckets.holds?.(at) ?? "1 = 1",
    key: KEYS[name],
    has_key: name === "wallets" ? "e.address != ''" : "1 = 1",
  };
  return defineReport({
    read: nothing,
    plan(_own, context) {
      const { ctes, params } = kpiTotalsByTime(context, buckets);
      // The sessions are chosen as for the other figures, and only they are needed of its parts.
      const chosen = ctes.slice(0, ctes.findIndex((cte) => cte.name === "chosen") + 1);
      return {
        ctes: asCounts([...chosen, ...toCtes(PARTS, ["seen", "neighbours", "changes"], texts)]),
        params: { ...params, ...buckets.params, window_cells: grid.windowCells },
        columns: [
          { name: "cell", type: "Int64" },
          { name: "entering", type: "Float64" },
          { name: "leaving", type: "Float64" },
        ],
        order: ["cell"],
      };
    },
  });
}

/** The last part is the result. */
function asCounts(ctes: readonly Cte[]): Cte[] {
  return ctes.map((cte, at) => (at === ctes.length - 1 ? { ...cte, name: "counts" } : cte));
}

/** The figure in the window that ends with each cell, from the rows of `changesIn`. */
export function addChanges({ cells, windowCells }: Grid, rows: readonly Row[]): number[] {
  const change = new Float64Array(cells + windowCells + 1);
  for (const row of rows) {
    const cell = Number(row.cell) - 1;
    change[cell] = (change[cell] ?? 0) + Number(row.entering);
    change[cell + windowCells] = (change[cell + windowCells] ?? 0) - Number(row.leaving);
  }
  let inWindow = 0;
  return Array.from({ length: cells }, (_, cell) => {
    inWindow += change[cell] ?? 0;
    return inWindow;
  });
}

/** The same from rows of `figuresIn`. */
export function addCells(name: FigureName, { cells, windowCells }: Grid, rows: readonly Row[]): (number | null)[] {
  const sumsOf = (of: string) => {
    const values = new Float64Array(cells);
    for (const row of rows) values[Number(row.bucket) - 1] = Number(row[of]);
    return addWindows(values, windowCells);
  };
  const counted = { bounce_rate: "bounces", avg_session_sec: "active_ms" }[name as string];
  if (counted === undefined) return Array.from(sumsOf(name));
  const [entries, ofEntries] = [sumsOf("entries"), sumsOf(counted)];
  return Array.from(entries, (n, last) => figureOf(name, { entries: n, [counted]: ofEntries[last] ?? 0 }));
}
