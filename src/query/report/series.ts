/** Reports by time: buckets, groups, and other days to compare with. */
import { REPORT_LIMITS, type ReportQuery } from "../../contract/analytics.ts";
import { ApiError } from "../../contract/errors.ts";
import { columnOfGroup, INTERVALS, type Interval } from "../../contract/metric-columns.ts";
import type { Cte } from "../../engines/relations.ts";
import type { Failures } from "../filters/filters.ts";
import { type Buckets, bucketsOf } from "./buckets.ts";
import { type Compare, findCompared, readCompare } from "./compare.ts";
import { readParts, toCtes } from "./parts.ts";
import type { Column, ColumnType, ReportContext, ReportStatement, Row } from "./report.ts";

export interface SeriesOwn {
  readonly interval: Interval;
  /** The name of the group's column in the answer, and its column in the engine. Undefined: no groups. */
  readonly group: { readonly name: string; readonly column: string } | undefined;
  /** Most groups of a project. */
  readonly groups: number;
  readonly compare: Compare;
}

export function readSeries(query: ReportQuery, groups: readonly string[], failures: Failures): SeriesOwn {
  const { interval, group_by, limit } = query;
  const column = columnOfGroup(groups, group_by);
  return {
    interval: INTERVALS.find((one) => one === interval) ?? "day",
    group: column === undefined ? undefined : { name: String(group_by), column },
    groups: limit ?? REPORT_LIMITS.groups,
    compare: readCompare(query, failures),
  };
}

/** The rows of `totals`: project_id, value (of the group), bucket (-1: the whole window) and measures. */
export interface Totals {
  readonly ctes: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
}

export interface SeriesReport {
  readonly own: SeriesOwn;
  readonly context: ReportContext;
  /** The measures of `totals`. */
  readonly counted: readonly string[];
  /** SQL: sorts groups, the largest first. Reads rows of `totals` in which `rankedIn` holds. */
  readonly rank: { readonly first: string; readonly second: string; readonly rankedIn: string };
  totals(context: ReportContext, buckets: Buckets): Totals;
  /** The measures of the answer, from those of `totals`. */
  readonly shown: readonly Shown[];
}

export interface Shown {
  readonly name: string;
  readonly type: ColumnType;
  /** Of a bucket. Absent: a number of the whole window, from its rows of the window and of the days to compare with. */
  of?(counted: Row): number;
  ofWindow?(counted: Row, compared: Row): number;
  /** The name of its column for the days to compare with. Absent: it has none. */
  readonly previous?: string;
}

const PARTS = readParts("series");
const WINDOW_BUCKET = -1;

export function planSeries(report: SeriesReport): ReportStatement {
  const { own, context, counted, rank } = report;
  const buckets = bucketsOf(own.interval, context.window, context.zone);
  const days = context.hasDays ? findCompared(own.compare, context.window) : undefined;
  checkRows(own, context, buckets);
  const columns: Column[] = [
    { name: "project_id", type: "String" },
    { name: "value", type: "String" },
    { name: "bucket", type: "Int64" },
    { name: "place", type: "UInt64" },
    ...counted.map((name) => ({ name, type: "Float64" as const })),
  ];
  const { ctes, params } = report.totals(context, buckets);
  const texts = { first: rank.first, second: rank.second, ranked_in: rank.rankedIn };
  const groups = own.group === undefined ? [] : ["ranks"];
  const cut = toCtes(PARTS, [...groups, own.group === undefined ? "ungrouped" : "grouped"], texts);
  return {
    ctes: [...ctes, ...toCounts(cut)],
    params: { ...params, ...buckets.params, groups: own.groups },
    columns,
    order: ["project_id", "place", "bucket"],
    finish: {
      meta: metaOf(report, buckets),
      rows: (rows, compared) => toSeries(report, buckets, rows, compared),
    },
    ...(days && {
      compared: {
        window: days,
        plan(rows) {
          const before = bucketsOf(own.interval, days, context.zone);
          const totals = report.totals({ ...context, window: days }, before);
          const known = toCounts(toCtes(PARTS, [own.group === undefined ? "ungrouped" : "of_groups"], {}));
          const values = [...new Set(rows.map(({ value }) => value))];
          return { ctes: [...totals.ctes, ...known], params: { ...totals.params, ...before.params, values } };
        },
      },
    }),
  };
}

/** The last part is the result. */
function toCounts(ctes: readonly Cte[]): Cte[] {
  return ctes.map((cte, index) => (index === ctes.length - 1 ? { ...cte, name: "counts" } : cte));
}

/** Empty buckets are rows, too: their number is known before the engine runs anything. */
function checkRows({ group, groups }: SeriesOwn, { projects }: ReportContext, { count }: Buckets): void {
  const rows = count * projects.length * (group === undefined ? 1 : groups);
  if (rows <= REPORT_LIMITS.seriesRows) return;
  const reason = `must be longer, or the window shorter: the answer would have ${rows} rows of at most ${REPORT_LIMITS.seriesRows}`;
  throw new ApiError("INVALID_VALIDATION_REQUEST", "Invalid request data", {
    param: "query.interval",
    details: { "query.interval": reason },
  });
}

function metaOf({ own, shown }: SeriesReport, { type }: Buckets): { name: string; type: string }[] {
  const ofGroup = own.group === undefined ? [] : [{ name: own.group.name, type: "String" }];
  const measures = shown.filter(({ of }) => of !== undefined);
  const compared = own.compare === undefined ? [] : shown.filter(({ of }) => of === undefined);
  const previous = own.compare === undefined ? [] : measures.filter((one) => one.previous !== undefined);
  return [
    { name: "date", type },
    { name: "project_id", type: "String" },
    ...ofGroup,
    ...measures.map((one) => ({ name: one.name, type: one.type })),
    ...previous.map((one) => ({ name: one.previous ?? "", type: one.type })),
    ...compared.map((one) => ({ name: one.name, type: one.type })),
  ];
}

/** One row for each bucket, project and group, in this order, also where nothing happened. */
function* toSeries(
  report: SeriesReport,
  buckets: Buckets,
  counted: readonly Row[],
  compared: readonly Row[],
): Iterable<Row> {
  const { own, context, shown } = report;
  const [now, before] = [byGroup(counted), byGroup(compared)];
  const nothing: Row = Object.fromEntries(report.counted.map((name) => [name, 0]));
  const groups = (context.hasDays ? groupsOf(own, context, now) : []).map(({ project_id, value }) => ({
    project_id,
    value,
    now: now.get(project_id)?.get(value),
    before: before.get(project_id)?.get(value),
  }));
  for (let nth = 0; nth < buckets.count; nth += 1) {
    const date = buckets.dateOf(nth);
    for (const group of groups) {
      const row: Record<string, string | number> = { date, project_id: group.project_id };
      if (own.group !== undefined) row[own.group.name] = group.value;
      const inBucket = group.now?.get(nth) ?? nothing;
      for (const one of shown) if (one.of !== undefined) row[one.name] = one.of(inBucket);
      if (own.compare !== undefined) {
        const inPrevious = group.before?.get(nth) ?? nothing;
        for (const one of shown)
          if (one.previous !== undefined && one.of !== undefined) row[one.previous] = one.of(inPrevious);
        const inWindow = group.now?.get(WINDOW_BUCKET) ?? nothing;
        const inCompared = group.before?.get(WINDOW_BUCKET) ?? nothing;
        for (const { name, ofWindow } of shown) if (ofWindow !== undefined) row[name] = ofWindow(inWindow, inCompared);
      }
      yield row;
    }
  }
}

/** Rows by project, group and bucket, in the order of `rows`. */
type ByGroup = Map<string, Map<string, Map<number, Row>>>;

function byGroup(rows: readonly Row[]): ByGroup {
  const projects: ByGroup = new Map();
  for (const row of rows) {
    const groups = projects.get(String(row.project_id)) ?? new Map<string, Map<number, Row>>();
    const buckets = groups.get(String(row.value)) ?? new Map<number, Row>();
    buckets.set(Number(row.bucket), row);
    projects.set(String(row.project_id), groups.set(String(row.value), buckets));
  }
  return projects;
}

/** Every project, or its groups by rank: they were counted in this order. */
function groupsOf(
  { group }: SeriesOwn,
  { projects }: ReportContext,
  counted: ByGroup,
): { project_id: string; value: string }[] {
  if (group === undefined) return projects.toSorted().map((project_id) => ({ project_id, value: "" }));
  return [...counted].flatMap(([project_id, groups]) => [...groups.keys()].map((value) => ({ project_id, value })));
}
