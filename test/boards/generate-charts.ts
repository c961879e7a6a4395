/** Charts of one seed: SQL of parts, reports with some of their parameters, and the types with a question of their own. */
import assert from "node:assert/strict";
import { REPORT_NAMES } from "../../src/contract/reports.ts";
import { createRandom } from "../../src/demo/random.ts";
import { SEED } from "../../src/lib/testing.ts";

export const STEP = { type: "event", event: "page" };
export const SWAP = { type: "track", event: "Swap Completed" };

interface Generated {
  readonly chart: object;
  readonly sql?: string;
  readonly report?: string;
  /** What the report is asked, beside the days. */
  readonly asked?: Readonly<Record<string, unknown>>;
}

type Random = ReturnType<typeof createRandom>;

export function generateCharts(count: number, segments: readonly string[]): Generated[] {
  const random = createRandom(SEED);
  const kinds = [
    generateSql,
    generateSql,
    generateReport,
    generateReport,
    generateFunnel,
    generatePaths,
    generateRetention,
  ];
  return Array.from({ length: count }, (_, n) => {
    // Each kind is among the first: `npm test` draws some of all.
    const kind = kinds[n % kinds.length] ?? generateSql;
    return kind(random, random.chance(0.3) ? random.pick([...segments]) : undefined);
  });
}

function generateSql(random: Random): Generated {
  const columns = ["type", "event", "device", "browser", "location", "chain_id", "utm_source", "page_path"];
  const measures = [
    "count() AS m",
    "round(sum(revenue), 6) AS m",
    "count(DISTINCT anonymous_id) AS m",
    "max(volume) AS m",
    "round(avg(points), 6) AS m",
    "arraySort(groupArray(DISTINCT chain_id)) AS m",
    "min(timestamp) AS m",
  ];
  const bounds = [
    "toDate(timestamp) >= {{date_from}} AND toDate(timestamp) <= {{date_to}}",
    "timestamp >= '{{date_from}}' AND toDate(timestamp) <= toDate('{{ date_to }}')",
    "toDate(timestamp) BETWEEN {{ date_from }} AND {{date_to}}",
  ];
  const column = random.pick(columns);
  const limit = random.chance(0.5) ? ` LIMIT ${1 + random.int(60)}` : "";
  const sql = `SELECT ${column} AS k, ${random.pick(measures)} FROM events WHERE ${random.pick(bounds)} GROUP BY k ORDER BY k${limit}`;
  return { chart: { chart_type: "table", query: sql }, sql };
}

function generateReport(random: Random, segment?: string): Generated {
  const reports: [string, Record<string, unknown>][] = [
    ["kpis", { interval: random.pick(["day", "week", "all"]) }],
    ["kpis", { group_by: "device", limit: 3 }],
    ["top_sources", { metric_column: random.pick(["channel", "referrer", "utm_campaign"]), limit: 1 + random.int(20) }],
    ["top_pages", { mode: random.pick(["all", "entry", "exit"]) }],
    ["breakdown", { metric_column: random.pick(["device", "chain_id", "location"]), order: "asc" }],
    ["revenue_by_metric", { metric_column: random.pick(["channel", "pathname", "event"]) }],
    ["volume_by_metric", { metric_column: "chain_id" }],
    ["revenue_overview", {}],
    ["event_timeseries", { group_by: "browser" }],
    ["lifecycle", {}],
    ["frequency", {}],
    ["heatmap", {}],
    ["top_events", { filters: [deviceOf(random)] }],
  ];
  const [report, own] = random.pick(reports);
  assert.ok((REPORT_NAMES as readonly string[]).includes(report));
  // The two places that may name a segment mean the same.
  if (segment !== undefined && random.chance(0.5))
    return {
      chart: { chart_type: "table", report, params: own, settings: { segment } },
      report,
      asked: { ...own, segment },
    };
  const params = { ...own, ...(segment === undefined ? {} : { segment }) };
  return { chart: { chart_type: "table", report, params }, report, asked: params };
}

const deviceOf = (random: Random) => ({ field: "device", op: "eq", value: random.pick(["desktop", "mobile-ios"]) });

/** The settings that every chart with a question of its own has, and what the report is asked for them. */
function commonOf(random: Random, segment: string | undefined, filtersName: "filters" | "global_filters") {
  const filters = random.chance(0.5) ? [deviceOf(random)] : undefined;
  return {
    settings: {
      ...(segment === undefined ? {} : { segment }),
      ...(filters === undefined ? {} : { filters: random.chance(0.5) ? filters : JSON.stringify(filters) }),
    },
    asked: {
      ...(segment === undefined ? {} : { segment }),
      ...(filters === undefined ? {} : { [filtersName]: filters }),
    },
  };
}

const WINDOWS: [conversionWindow: { value: number; unit: string } | undefined, seconds: number][] = [
  [undefined, 7_200],
  [{ value: 3, unit: "hour" }, 10_800],
  [{ value: 2, unit: "day" }, 172_800],
  [{ value: 1, unit: "week" }, 604_800],
];
const CONNECT = { type: "event", event: "connect" };
const ON_DESKTOP = { ...STEP, filters: [{ field: "device", op: "eq", value: "desktop" }] };

function generateFunnel(random: Random, segment?: string): Generated {
  const { settings, asked } = commonOf(random, segment, "filters");
  const [conversionWindow, window_seconds] = random.pick(WINDOWS);
  const steps = random.pick([
    [STEP, SWAP],
    [ON_DESKTOP, CONNECT],
    [STEP, CONNECT, SWAP],
  ]);
  const funnel_type = random.pick(["closed", "open"]);
  const breakdown = random.pick([null, "device", "location"]);
  return {
    chart: {
      chart_type: "funnel",
      steps,
      settings: { ...settings, funnelType: funnel_type, breakdown, ...(conversionWindow && { conversionWindow }) },
    },
    report: "funnel",
    asked: { ...asked, steps, window_seconds, funnel_type, ...(breakdown === null ? {} : { group_by: breakdown }) },
  };
}

function generatePaths(random: Random, segment?: string): Generated {
  const { settings, asked } = commonOf(random, segment, "global_filters");
  const [conversionWindow, window_seconds] = random.pick(WINDOWS);
  const [start_step, end_step] = random.pick([[STEP], [STEP, SWAP], [CONNECT, SWAP]]);
  const [maxSteps, max_steps] = random.pick([
    [undefined, 3],
    [4, 4],
    [9, 5],
  ]);
  const [nodesPerStep, nodes_per_step] = random.pick([
    [undefined, 5],
    [1, 2],
    [8, 8],
  ]);
  const own = { maxSteps, nodesPerStep, conversionWindow };
  const anchored = random.chance(0.5)
    ? { anchors: [start_step, ...(end_step === undefined ? [] : [end_step])] }
    : { startStep: start_step, endStep: end_step ?? null };
  return {
    chart: { chart_type: "user_paths", settings: { ...settings, ...anchored, ...own } },
    report: "flow",
    asked: { ...asked, start_step, end_step, window_seconds, max_steps, nodes_per_step },
  };
}

function generateRetention(random: Random, segment?: string): Generated {
  const { settings, asked } = commonOf(random, segment, "filters");
  const swap = { type: "track", name: "Swap Completed" };
  const [own, activity] = random.pick<[object, object]>([
    [{}, {}],
    [{ entryFilter: null }, {}],
    [
      { entryFilter: SWAP, retentionFilter: SWAP },
      { event_type: swap.type, event_name: swap.name },
    ],
    [
      { entryFilter: STEP, retentionFilter: SWAP },
      { entry_type: "page", event_type: swap.type, event_name: swap.name },
    ],
    [
      { entryFilter: SWAP, retentionFilter: null },
      { entry_type: swap.type, entry_name: swap.name },
    ],
  ]);
  const user_filters = random.chance(0.3) ? [{ operand: "device", operator: "eq", value: "mobile" }] : undefined;
  return {
    chart: {
      chart_type: "retention",
      settings: { ...settings, ...own, ...(user_filters && { retentionUserFilters: user_filters }) },
    },
    report: "retention",
    asked: { ...asked, ...activity, user_filters, limit: 52 },
  };
}
