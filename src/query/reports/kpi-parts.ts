/** The statement of kpis: which parts add up to its figures, and from where each reads. */
import type { Cte } from "../../engines/relations.ts";
import { isTransaction, shownValue } from "../../materialize/columns.ts";
import type { Buckets } from "../report/buckets.ts";
import { isPlain, ofSession, readConditions, readPages } from "../report/conditions.ts";
import { importedClause } from "../report/imported.ts";
import { isRunning, isSettled, readParts, toCtes } from "../report/parts.ts";
import type { ReportContext } from "../report/report.ts";
import type { SeriesOwn, Totals } from "../report/series.ts";
import { countedEvents } from "./chosen-events.ts";

const SESSIONS = readParts("kpis_sessions");
const ROLLUPS = readParts("kpis_rollups");

/** The figures that parts count, with the types of their zeros. `n_` begins their names in the parts. */
const FIGURES = {
  sessions: "toInt64(0)",
  /** The sessions over which bounce rate and duration are averaged. */
  entries: "toInt64(0)",
  bounces: "toInt64(0)",
  active_ms: "toInt64(0)",
  pageviews: "toInt64(0)",
  transactions: "toInt64(0)",
  revenue: "toInt128(0)",
  volume: "toInt128(0)",
  visitors: "toInt64(0)",
  wallets: "toInt64(0)",
} as const;
type Figure = keyof typeof FIGURES;
export const KPI_FIGURES = Object.keys(FIGURES) as Figure[];

const VISITS = ["sessions", "visitors"] as const;
const ENTRIES = ["entries", "bounces", "active_ms"] as const;
const EVENTS = ["pageviews", "transactions", "revenue", "volume"] as const;

/** A part under a name of its own, and the figures that it adds to the totals. Without figures others read it. */
interface Part extends Cte {
  readonly figures: readonly Figure[];
}

type Texts = Readonly<Record<string, string>>;
const TRUE = "1 = 1";
const WINDOW = "toInt64(-1)";
const EVENT_MS = "toUnixTimestamp64Milli(e.timestamp)";

/** `hasWindow` adds rows of the whole window, bucket -1. */
export function kpiTotals(own: SeriesOwn, context: ReportContext, buckets: Buckets, hasWindow: boolean): Totals {
  const fromRollups = own.group === undefined && isPlain(context);
  const { parts, params } = fromRollups
    ? planRollups(own, context, buckets, hasWindow)
    : planSessions(own, context, buckets, hasWindow);
  const imported = importedParts(own, context, buckets, hasWindow);
  const all = [...parts, ...imported.parts];
  return { ctes: [...all, { name: "totals", sql: addUp(all) }], params: { ...params, ...imported.params } };
}

/** Whether imported days have it: a day has no hours. */
export function addsImported({ interval }: SeriesOwn): boolean {
  return interval !== "hour";
}

function importedParts(own: SeriesOwn, { imported }: ReportContext, buckets: Buckets, hasWindow: boolean): Parts {
  if (imported.length === 0 || !addsImported(own)) return { parts: [], params: {} };
  const { sql, params } = importedClause(imported, own.group?.column ?? "total");
  const texts = { imported: sql };
  const figures = [...VISITS, ...ENTRIES, "pageviews"] as const;
  const days = part(ROLLUPS, "imported", figures, { ...texts, bucket: buckets.ofDay("i.day") });
  const window = part(ROLLUPS, "imported", VISITS, { ...texts, bucket: WINDOW }, "imported_window");
  return { parts: hasWindow ? [days, window] : [days], params };
}

/** Buckets of any length, at any place: as those of hours, but never from rollups, which know whole hours. */
export function kpiTotalsByTime(context: ReportContext, buckets: Buckets): Totals {
  const own = { interval: "hour", group: undefined, groups: 0, compare: undefined } as const;
  const { parts, params } = planSessions(own, context, buckets, false);
  const days = buckets.days === undefined ? {} : { bucket_days: buckets.days };
  return { ctes: [...parts, { name: "totals", sql: addUp(parts) }], params: { ...params, ...days } };
}

function part(from: typeof SESSIONS, of: string, figures: readonly Figure[], texts: Texts = {}, name = of): Part {
  const [cte] = toCtes(from, [of], texts);
  return { sql: cte?.sql ?? "", name, figures };
}

/** Rows of all parts with the same columns: what a part does not count is 0. */
function addUp(parts: readonly Part[]): string {
  const columns = (figures: readonly Figure[]) =>
    KPI_FIGURES.map((name) => {
      const zero = FIGURES[name];
      return figures.includes(name) ? `${zero.slice(0, -3)}(n_${name}) AS n_${name}` : `${zero} AS n_${name}`;
    });
  const every = parts
    .filter(({ figures }) => figures.length > 0)
    .map(
      ({ name, figures }) => `    SELECT project_id, value, bucket, ${columns(figures).join(", ")}\n    FROM ${name}`,
    );
  const sums = KPI_FIGURES.map((name) =>
    FIGURES[name].startsWith("toInt128") ? `toFloat64(sum(n_${name})) / 1e9 AS ${name}` : `sum(n_${name}) AS ${name}`,
  );
  return `SELECT project_id, value, bucket, ${sums.join(", ")}
FROM
(
${every.join("\n    UNION ALL\n")}
) AS every
GROUP BY project_id, value, bucket`;
}

interface Parts {
  readonly parts: readonly Part[];
  readonly params: Totals["params"];
}

function planSessions(
  { interval, group }: SeriesOwn,
  context: ReportContext,
  buckets: Buckets,
  hasWindow: boolean,
): Parts {
  const { texts, params, hasEvents } = readConditions(context, ofSession);
  const pages = context.pageScope === "page" ? readPages(context) : undefined;
  const isMatching = hasEvents ? "(v.project_id, v.session) IN (SELECT project_id, session FROM matching)" : TRUE;
  const matched = buckets.days === undefined ? isMatching : `${isMatching} AND v.day IN {bucket_days:Array(Date)}`;
  const value = group === undefined ? "''" : shownValue(group.column, `v.${group.column}`);
  const chosen = [
    ...(hasEvents ? [part(SESSIONS, "matching", [], texts)] : []),
    part(SESSIONS, "chosen", [], { ...texts, value, matched, from: "sessions", weight: "1" }),
  ];
  const window = hasWindow ? [part(SESSIONS, "of_visits", VISITS, { bucket: WINDOW }, "of_window")] : [];
  const onPage = pages?.of("e.pathname") ?? TRUE;
  const hasViews = "(v.project_id, v.session) IN (SELECT project_id, session FROM chosen WHERE hits > 0)";
  const entered = pages === undefined ? TRUE : `${pages.of("v.entry_page")} AND ${hasViews}`;
  const all = { ...params, ...pages?.params };
  if (interval === "hour")
    return { parts: [...chosen, ...hourParts(buckets, onPage, entered), ...window], params: all };
  const bucket = buckets.ofDay("v.day");
  const wallets = part(SESSIONS, "of_wallets", ["wallets"], { bucket });
  const counted =
    pages === undefined
      ? [part(SESSIONS, "of_sessions", [...VISITS, ...ENTRIES, ...EVENTS], { bucket })]
      : [
          part(SESSIONS, "of_visits", VISITS, { bucket }),
          part(SESSIONS, "of_entries", ENTRIES, { bucket, entered }),
          eventPart(EVENTS, { bucket: buckets.ofDay("e.day"), onPage, read: onPage }),
        ];
  return { parts: [...chosen, ...counted, wallets, ...window], params: all };
}

/** An event counts in its own hour, a session in every hour with an event, its duration in the hour that it began in. */
function hourParts(buckets: Buckets, onPage: string, entered: string): Part[] {
  const bucket = buckets.ofTime("e.day", EVENT_MS);
  return [
    eventPart([...VISITS, ...EVENTS, "wallets"], { bucket, onPage, read: buckets.holds?.(EVENT_MS) ?? TRUE }),
    entryPart(buckets, entered),
  ];
}

function entryPart(buckets: Buckets, entered: string): Part {
  const begun = buckets.holds === undefined ? entered : `${entered} AND ${buckets.holds("v.started_ms")}`;
  return part(SESSIONS, "of_entries", ENTRIES, { bucket: buckets.ofTime("v.day", "v.started_ms"), entered: begun });
}

function eventPart(
  figures: readonly Figure[],
  { bucket, onPage, read }: { bucket: string; onPage: string; read: string },
): Part {
  const texts = { bucket, on_page: onPage, read, is_transaction: isTransaction("e") };
  return part(SESSIONS, "of_events", figures, texts);
}

/** What is rolled up, and what open sessions add to it or take from it. */
function planRollups({ interval }: SeriesOwn, context: ReportContext, buckets: Buckets, hasWindow: boolean): Parts {
  const { bots } = readConditions(context, ofSession).texts;
  const isOpen = { bots, session_filter: TRUE, matched: "v.day >= s.dirty_from", value: "''" };
  const chosen = part(SESSIONS, "chosen", [], { ...isOpen, from: "open_sessions", weight: "v.weight" });
  const settled = isSettled("v");
  const window = hasWindow
    ? [
        part(ROLLUPS, "clean_window", ["visitors"]),
        part(ROLLUPS, "open_visitors", ["visitors"], { bucket: WINDOW, bots, settled }, "open_of_window"),
      ]
    : [];
  if (interval === "hour") return { parts: [chosen, ...hoursFromRollups(context, buckets), ...window], params: {} };
  const { isNew, params } = newIn(interval, buckets);
  const [ofRollup, bucket] = [buckets.ofDay("r.day"), buckets.ofDay("v.day")];
  // Of a day that is clean nothing is open.
  const known = { bucket, bots, settled: interval === "day" ? isRunning("v") : settled };
  const counted = [
    part(ROLLUPS, "clean", [...VISITS, ...ENTRIES, ...EVENTS], { bucket: ofRollup, is_new: isNew }),
    part(ROLLUPS, "clean_wallets", ["wallets"], { bucket: ofRollup, is_new: isNew }),
    part(SESSIONS, "of_sessions", ["sessions", ...ENTRIES, ...EVENTS], { bucket }),
    part(ROLLUPS, "open_visitors", ["visitors"], known),
    part(ROLLUPS, "listed_wallets", []),
    part(ROLLUPS, "open_wallets", ["wallets"], known),
  ];
  return { parts: [chosen, ...counted, ...window], params };
}

function hoursFromRollups(context: ReportContext, buckets: Buckets): Part[] {
  const bucket = `toInt64(r.day - {first_day:Date}) * 24 + toInt64(r.value)`;
  const { ctes, isCounted } = countedEvents(context);
  const open = { bucket: buckets.ofTime("e.day", EVENT_MS), is_counted: isCounted, is_transaction: isTransaction("e") };
  return [
    ...ctes.map((cte) => ({ ...cte, figures: [] })),
    part(ROLLUPS, "clean_hours", [...VISITS, ...EVENTS], { bucket }),
    part(ROLLUPS, "clean_hour_entries", ENTRIES, { bucket }),
    part(ROLLUPS, "clean_hour_wallets", ["wallets"], { bucket }),
    part(ROLLUPS, "open_hours_counted", [...VISITS, ...EVENTS, "wallets"], open),
    entryPart(buckets, TRUE),
  ];
}

/** Whether the visitors of a rollup row are new in their bucket: last seen before its first day in the window. */
function newIn(interval: SeriesOwn["interval"], buckets: Buckets): { isNew: string; params: Totals["params"] } {
  if (interval === "day") return { isNew: TRUE, params: {} };
  if (interval === "all") return { isNew: "r.seen_before <= s.first_day", params: {} };
  const begins = Array.from({ length: buckets.count }, (_, nth) => buckets.dateOf(nth));
  const begin = `{begins:Array(Date)}[1 + ${buckets.ofDay("r.day")}]`;
  return { isNew: `r.seen_before <= greatest(${begin}, s.first_day)`, params: { begins } };
}
