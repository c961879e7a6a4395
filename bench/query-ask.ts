/**
 * The questions of the query benchmark: each is sent as a client sends it, and computed again by a scan of the events.
 */
import { Agent, get } from "node:http";
import type { AnalyticsEngine } from "../src/engines/port.ts";
import { readSql } from "../src/lib/sql.ts";
import { DAY_MS, dayOf } from "../src/lib/time.ts";
import type { QueryService } from "./query-service.ts";

/** Asked for every window and filter. */
export const REPORTS = ["top_sources", "top_chains", "revenue_by_metric"] as const;
/** Asked for the default window and the longest one. */
export const FURTHER_REPORTS = [
  "kpis",
  "top_pages",
  "top_locations",
  "top_wallets",
  "top_events",
  "volume_by_metric",
  "revenue_overview",
  "event_timeseries",
  "heatmap",
] as const;
export const WINDOWS = [7, 30, 90] as const;
export const FILTERS = ["none", "one", "three"] as const;

export interface Question {
  readonly report: (typeof REPORTS)[number] | (typeof FURTHER_REPORTS)[number];
  readonly window: (typeof WINDOWS)[number];
  readonly filter: (typeof FILTERS)[number];
}

type Row = Readonly<Record<string, string | number>>;
interface Answer {
  readonly data: readonly Row[];
  readonly statistics: { readonly elapsed: number };
}

export interface Asked {
  /** From the request to the last byte. */
  readonly httpMs: number;
  readonly engineMs: number;
  readonly rows: readonly Row[];
}

const DEVICE = "desktop";
const PART = "site1";
const EVENT = "Swap Completed";
const device = { field: "device", op: "equals", value: DEVICE };
const CONDITIONS = {
  none: [],
  one: [device],
  three: [device, { field: "referrer", op: "includes", value: PART }, { field: "event", op: "equals", value: EVENT }],
} as const;
/** The same conditions as parameters of the scans. */
const SCAN_CONDITIONS = {
  none: { device: "", part: "", event: "" },
  one: { device: DEVICE, part: "", event: "" },
  three: { device: DEVICE, part: PART, event: EVENT },
} as const;

const agent = new Agent({ keepAlive: true });

/** 7 days are the default window of a request without dates. */
function daysOf(window: Question["window"]): { first_day: string; last_day: string } {
  const today = Date.now();
  const back = window === 7 ? window : window - 1;
  return { first_day: dayOf(today - back * DAY_MS), last_day: dayOf(today) };
}

export async function askReport(service: QueryService, { report, window, filter }: Question): Promise<Asked> {
  const url = new URL(`/v0/${report}`, service.credentials.apiUrl);
  if (report === "top_sources" || report.endsWith("_by_metric")) url.searchParams.set("metric_column", "referrer");
  if (window !== 7) url.searchParams.set("date_from", daysOf(window).first_day);
  if (filter !== "none") url.searchParams.set("filters", JSON.stringify(CONDITIONS[filter]));
  return fetchAnswer(url, service.credentials.apiKey);
}

export async function fetchAnswer(url: URL, apiKey: string): Promise<Asked> {
  const startedAt = performance.now();
  const { status, body } = await fetchText(url, apiKey);
  const httpMs = performance.now() - startedAt;
  if (status !== 200) throw new Error(`${url.pathname}${url.search} gave ${status}: ${body}`);
  const answer = JSON.parse(body) as Answer;
  return { httpMs, engineMs: answer.statistics.elapsed * 1000, rows: answer.data };
}

function fetchText(url: URL, apiKey: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${apiKey}` } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }),
      );
      response.on("error", reject);
    }).on("error", reject);
  });
}

const read = (name: string) => readSql(new URL(`./query-floor/${name}.sql`, import.meta.url));
/** One text with and without filters, except for top_chains. */
const SCANS = Object.fromEntries(
  [...REPORTS, ...FURTHER_REPORTS].map((name) => [name, { plain: read(name), filtered: read(name) }]),
) as Record<Question["report"], { plain: string; filtered: string }>;
SCANS.top_chains.filtered = read("top_chains_filtered");

export async function scanEvents(
  engine: AnalyticsEngine,
  projects: readonly string[],
  { report, window, filter }: Question,
): Promise<{ engineMs: number; rows: readonly Row[] }> {
  const sql = SCANS[report][filter === "none" ? "plain" : "filtered"];
  const params = { projects, ...daysOf(window), ...SCAN_CONDITIONS[filter] };
  const { rows, statistics } = await engine.select<Row>(sql, { params });
  return { engineMs: statistics.elapsed * 1000, rows };
}

/** The first difference, or undefined for the same rows in the same order with sums equal to the cent. */
export function findDifference(report: readonly Row[], scan: readonly Row[]): string | undefined {
  if (report.length !== scan.length) return `${report.length} rows, the scan has ${scan.length}`;
  const at = report.findIndex((row, i) => spell(row) !== spell(scan[i] ?? {}));
  return at === -1 ? undefined : `row ${at + 1} is ${spell(report[at] ?? {})}, of the scan ${spell(scan[at] ?? {})}`;
}

function spell(row: Row): string {
  const names = Object.keys(row).sort((a, b) => (a < b ? -1 : 1));
  return names.map((name) => `${name} ${typeof row[name] === "number" ? row[name].toFixed(2) : row[name]}`).join(", ");
}
