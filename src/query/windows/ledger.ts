/** What happened to the events that were received in windows of time. The ledger has whole minutes, and so have these. */
import { fillSql, readSqlParts } from "../../lib/sql.ts";
import type { Lookup } from "../run/run-lookup.ts";
import { addWindows } from "./add-windows.ts";
import { bucketsOfComb, bucketsOfGrid, type Comb, type Grid, spansOf } from "./spans.ts";

const PARTS = readSqlParts(new URL("./windows.sql", import.meta.url));

export interface Outcomes {
  readonly received: number;
  readonly stored: number;
  readonly duplicate: number;
  readonly parked: number;
  readonly refused: number;
}

const NONE: Outcomes = { received: 0, stored: 0, duplicate: 0, parked: 0, refused: 0 };

interface LedgerRow {
  readonly bucket: number;
  readonly outcome: Exclude<keyof Outcomes, "received">;
  readonly n_events: number;
}

/** Of each span of the comb, or of the window that ends with each cell of the grid. One statement. */
export function outcomesIn(spans: Comb | Grid): Lookup<Outcomes[]> {
  const isComb = "endMs" in spans;
  const buckets = isComb ? bucketsOfComb(spans) : bucketsOfGrid(spans);
  const reach = isComb
    ? { first_ms: spansOf(spans).at(-1)?.fromMs ?? spans.endMs, last_ms: spans.endMs }
    : { first_ms: spans.fromMs, last_ms: spans.fromMs + spans.cells * spans.cellMs };
  const at = "toUnixTimestamp64Milli(minute)";
  const sql = fillSql(PARTS("ledger"), { bucket: buckets.ofTime("", at), held: buckets.holds?.(at) ?? "1 = 1" });
  return {
    name: "windows",
    async run({ engine, owner, signal }) {
      const all = { ...buckets.params, ...reach, projects: owner.projects.map(({ id }) => id) };
      const params = Object.fromEntries(Object.entries(all).filter(([name]) => sql.includes(`{${name}:`)));
      const { rows } = await engine.select<LedgerRow>(sql, { params, signal });
      if (!isComb) return inWindows(spans, rows);
      const byBucket = Map.groupBy(rows, ({ bucket }) => bucket);
      return spansOf(spans).map((_, nth) => (byBucket.get(nth) ?? []).reduce(add, NONE));
    },
  };
}

function add(sum: Outcomes, { outcome, n_events }: LedgerRow): Outcomes {
  return { ...sum, received: sum.received + n_events, [outcome]: sum[outcome] + n_events };
}

/** Of all of them together. */
export function addOutcomes(outcomes: readonly Outcomes[]): Outcomes {
  const sumOf = (name: keyof Outcomes) => outcomes.reduce((sum, one) => sum + one[name], 0);
  return {
    received: sumOf("received"),
    stored: sumOf("stored"),
    duplicate: sumOf("duplicate"),
    parked: sumOf("parked"),
    refused: sumOf("refused"),
  };
}

/** Of the window that ends with each cell: 25,000 in a preview, on the thread that serves all. */
function inWindows({ cells, windowCells }: Grid, rows: readonly LedgerRow[]): Outcomes[] {
  const sumsOf = (isCounted: (row: LedgerRow) => boolean) => {
    const values = new Float64Array(cells);
    for (const row of rows) if (isCounted(row)) values[row.bucket - 1] = (values[row.bucket - 1] ?? 0) + row.n_events;
    return addWindows(values, windowCells);
  };
  const of = (name: LedgerRow["outcome"]) => sumsOf(({ outcome }) => outcome === name);
  const [stored, duplicate, parked, refused] = [of("stored"), of("duplicate"), of("parked"), of("refused")];
  return Array.from(
    sumsOf(() => true),
    (received, last) => ({
      received,
      stored: stored[last] ?? 0,
      duplicate: duplicate[last] ?? 0,
      parked: parked[last] ?? 0,
      refused: refused[last] ?? 0,
    }),
  );
}
