import { REVENUE_GROUPS } from "../../contract/metric-columns.ts";
import { ROLLED_UP_MONEY, revenueValue, shownValue } from "../../materialize/columns.ts";
import { revenueDimension, volumeDimension } from "../../materialize/rollups.ts";
import type { Buckets } from "../report/buckets.ts";
import { isPlain, ofRevenue, readEventConditions } from "../report/conditions.ts";
import { readParts, toCtes } from "../report/parts.ts";
import { defineReport, type ReportContext, type Row } from "../report/report.ts";
import { planSeries, readSeries, type SeriesOwn, type Shown, type Totals } from "../report/series.ts";

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
  plan(own, context) {
    const other = own.rankBy === "revenue" ? "volume" : "revenue";
    return planSeries({
      own,
      context,
      counted: ["revenue", "volume"],
      rank: { first: `sum(${own.rankBy}_amount)`, second: `sum(${other}_amount)`, rankedIn: "1 = 1" },
      totals: (ofDays, buckets) => totals(own, ofDays, buckets),
      shown: [measure("revenue"), measure("volume")],
    });
  },
});

/** The column with the fewest values among those under which every amount counts once. */
const SHORTEST = "device";

function totals({ group }: Own, context: ReportContext, buckets: Buckets): Totals {
  const [ofRollup, ofSession, ofEvent] = ["r.day", "v.day", "e.day"].map((day) => ({ bucket: buckets.ofDay(day) }));
  const column = group?.column;
  // Rollups leave out what has no paid touch.
  const isRolledUp = column === undefined || (column !== "paid_source" && ROLLED_UP_MONEY.includes(column));
  const { ctes, texts, params } = readEventConditions(context, ofRevenue);
  const value = column === undefined ? "''" : groupValue(column);
  if (isPlain(context) && column === undefined && !context.leavesBotsOut) {
    const [clean, dirty] = ["clean_total", "dirty_total"];
    return {
      ctes: [
        ...toCtes(PARTS, [clean], { ...ofRollup }),
        ...toCtes(PARTS, [dirty], { ...ofSession }),
        ...toCtes(PARTS, ["totals"], { clean, dirty }),
      ],
      params: {},
    };
  }
  if (isPlain(context) && isRolledUp) {
    const [clean, dirty] = [column === undefined ? "clean_amounts" : "clean_groups", "paid"];
    const rolledUp = column ?? SHORTEST;
    const isDirty = { session_filter: "s.day >= p.dirty_from", read: "e.day >= p.dirty_from", from: "open_events" };
    return {
      ctes: [
        ...toCtes(PARTS, [clean], { ...ofRollup }),
        ...toCtes(PARTS, [dirty], { ...texts, ...isDirty, ...ofEvent, value }),
        ...toCtes(PARTS, ["totals"], { clean, dirty }),
      ],
      params: {
        revenue_dimension: revenueDimension(rolledUp),
        volume_dimension: volumeDimension(rolledUp),
        dimensions: [revenueDimension(rolledUp), volumeDimension(rolledUp)],
      },
    };
  }
  const paid = toCtes(PARTS, ["paid", "totals_of_paid"], {
    ...texts,
    ...ofEvent,
    value,
    read: "1 = 1",
    from: "events",
  });
  return { ctes: [...ctes, ...paid.map((cte) => (cte.name === "paid" ? cte : { ...cte, name: "totals" }))], params };
}

function groupValue(column: string): string {
  const value = shownValue(column, revenueValue(column));
  return column === "paid_source" ? `if(${value} = '', 'None', ${value})` : value;
}
