import { REVENUE_GROUPS } from "../../contract/metric-columns.ts";
import { ROLLED_UP_MONEY, revenueValue, shownValue } from "../../materialize/columns.ts";
import { revenueDimension, volumeDimension } from "../../materialize/rollups.ts";
import type { Buckets } from "../buckets.ts";
import { isPlain, ofRevenue, readEventConditions } from "../conditions.ts";
import { readParts, toCtes } from "../parts.ts";
import { type Asking, defineReport, type Row } from "../report.ts";
import { askSeries, readSeries, type SeriesOwn, type Shown, type Totals } from "../series.ts";

const PARTS = readParts("revenue_overview");

interface Own extends SeriesOwn {
  readonly rankBy: "revenue" | "volume";
}

const measure = (name: "revenue" | "volume"): Shown => ({
  name,
  type: "Float32",
  of: (row: Row) => Number(row[name]),
  previous: `${name}_previous`,
});

/** Revenue and volume by day: one row for each day, project and group. */
export const revenueOverview = defineReport<Own>({
  read: (query, failures) => ({
    ...readSeries(query, REVENUE_GROUPS, failures),
    rankBy: query.rank_by === "volume" ? "volume" : "revenue",
  }),
  ask(own, asking) {
    const other = own.rankBy === "revenue" ? "volume" : "revenue";
    return askSeries({
      own,
      asking,
      counted: ["revenue", "volume"],
      rank: { first: `sum(${own.rankBy}_amount)`, second: `sum(${other}_amount)`, rankedIn: "1 = 1" },
      totals: (asked, buckets) => totals(own, asked, buckets),
      shown: [measure("revenue"), measure("volume")],
    });
  },
});

function totals({ group }: Own, asking: Asking, buckets: Buckets): Totals {
  const [ofRollup, ofSession, ofEvent] = ["r.day", "v.day", "e.day"].map((day) => ({ bucket: buckets.ofDay(day) }));
  const column = group?.column;
  // Rollups leave out what has no paid touch.
  const isRolledUp = column === undefined || (column !== "paid_source" && ROLLED_UP_MONEY.includes(column));
  if (isPlain(asking) && isRolledUp) {
    const [clean, dirty] = column === undefined ? ["clean_total", "dirty_total"] : ["clean_groups", "paid"];
    const all = { bots: "1 = 1", session_filter: "1 = 1", event_filter: "1 = 1", read: "e.day >= p.dirty_from" };
    return {
      ctes: [
        ...toCtes(PARTS, [clean], { ...ofRollup }),
        ...(column === undefined
          ? toCtes(PARTS, [dirty], { ...ofSession })
          : toCtes(PARTS, [dirty], { ...all, ...ofEvent, value: groupValue(column) })),
        ...toCtes(PARTS, ["totals"], { clean, dirty }),
      ],
      params:
        column === undefined
          ? {}
          : { revenue_dimension: revenueDimension(column), volume_dimension: volumeDimension(column) },
    };
  }
  const { ctes, texts, params } = readEventConditions(asking, ofRevenue);
  const value = column === undefined ? "''" : groupValue(column);
  const paid = toCtes(PARTS, ["paid", "totals_of_paid"], { ...texts, ...ofEvent, value, read: "1 = 1" });
  return { ctes: [...ctes, ...paid.map((cte) => (cte.name === "paid" ? cte : { ...cte, name: "totals" }))], params };
}

function groupValue(column: string): string {
  const value = shownValue(column, revenueValue(column));
  return column === "paid_source" ? `if(${value} = '', 'None', ${value})` : value;
}
