/** The statement of kpis: which parts add up to its figures, and from where each reads. */
import type { Cte } from "../../engines/port.ts";
import { isTransaction, shownValue } from "../../materialize/columns.ts";
import type { Buckets } from "../report/buckets.ts";
import { isPlain, ofSession, readConditions, readPages } from "../report/conditions.ts";
import { importedClause } from "../report/imported.ts";
import { readParts, toCtes } from "../report/parts.ts";
import type { ReportContext } from "../report/report.ts";
import type { SeriesOwn, Totals } from "../report/series.ts";

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

/** All events, or those of hours that are not rolled up. */
type EventRelation = "events" | "open_hours";
type Texts = Readonly<Record<string, string>>;
const TRUE = "1 = 1";
const WINDOW = "toInt64(-1)";

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
    part(SESSIONS, "chosen", [], { ...texts, value, matched }),
  ];
  const window = hasWindow ? [part(SESSIONS, "of_visits", VISITS, { bucket: WINDOW }, "of_window")] : [];
  const onPage = pages?.of("e.pathname") ?? TRUE;
  const hasViews = "(v.project_id, v.session) IN (SELECT project_id, session FROM chosen WHERE hits > 0)";
  const entered = pages === undefined ? TRUE : `${pages.of("v.entry_page")} AND ${hasViews}`;
  const all = { ...params, ...pages?.params };
  if (interval === "hour")
    return { parts: [...chosen, ...hourParts("events", buckets, onPage, entered), ...window], params: all };
  const bucket = buckets.ofDay("v.day");
  const wallets = part(SESSIONS, "of_wallets", ["wallets"], { bucket });
  const counted =
    pages === undefined
      ? [part(SESSIONS, "of_sessions", [...VISITS, ...ENTRIES, ...EVENTS], { bucket })]
      : [
          part(SESSIONS, "of_visits", VISITS, { bucket }),
          part(SESSIONS, "of_entries", ENTRIES, { bucket, entered }),
          eventPart(EVENTS, { from: "events", bucket: buckets.ofDay("e.day"), onPage, read: onPage }),
        ];
  return { parts: [...chosen, ...counted, wallets, ...window], params: all };
}

/** An event counts in its own hour, a session in every hour with an event, its duration in the hour that it began in. */
function hourParts(from: EventRelation, buckets: Buckets, onPage: string, entered: string): Part[] {
  const at = "toUnixTimestamp64Milli(e.timestamp)";
  const bucket = buckets.ofTime("e.day", at);
  const begun = buckets.holds === undefined ? entered : `${entered} AND ${buckets.holds("v.started_ms")}`;
  return [
    eventPart([...VISITS, ...EVENTS, "wallets"], { from, bucket, onPage, read: buckets.holds?.(at) ?? TRUE }),
    part(SESSIONS, "of_entries", ENTRIES, { bucket: buckets.ofTime("v.day", "v.started_ms"), entered: begun }),
  ];
}

function eventPart(
  figures: readonly Figure[],
  { from, bucket, onPage, read }: { from: EventRelation; bucket: string; onPage: string; read: string },
): Part {
  const texts = { from, bucket, on_page: onPage, read, is_transaction: isTransaction("e") };
  return part(SESSIONS, "of_events", figures, texts);
}

/** Clean partitions from rollups; dirty ones are chosen as sessions are. */
function planRollups({ interval }: SeriesOwn, context: ReportContext, buckets: Buckets, hasWindow: boolean): Parts {
  const { bots } = readConditions(context, ofSession).texts;
  const isDirty = { bots, session_filter: TRUE, matched: "v.day >= s.dirty_from", value: "''" };
  const chosen = part(SESSIONS, "chosen", [], isDirty);
  const window = hasWindow
    ? [
        part(ROLLUPS, "clean_window", ["visitors"]),
        part(SESSIONS, "of_visits", ["visitors"], { bucket: WINDOW }, "of_window"),
        part(ROLLUPS, "known_visitors", ["visitors"], { bucket: WINDOW, bots }, "known_of_window"),
      ]
    : [];
  if (interval === "hour") {
    const bucket = `toInt64(r.day - {first_day:Date}) * 24 + toInt64(r.value)`;
    const clean = [
      part(ROLLUPS, "clean_hours", [...VISITS, ...EVENTS], { bucket }),
      part(ROLLUPS, "clean_hour_entries", ENTRIES, { bucket }),
      part(ROLLUPS, "clean_hour_wallets", ["wallets"], { bucket }),
    ];
    return { parts: [chosen, ...clean, ...hourParts("open_hours", buckets, TRUE, TRUE), ...window], params: {} };
  }
  const { isNew, params } = newIn(interval, buckets);
  const [ofRollup, bucket] = [buckets.ofDay("r.day"), buckets.ofDay("v.day")];
  const counted = [
    part(ROLLUPS, "clean", [...VISITS, ...ENTRIES, ...EVENTS], { bucket: ofRollup, is_new: isNew }),
    part(ROLLUPS, "clean_wallets", ["wallets"], { bucket: ofRollup, is_new: isNew }),
    part(SESSIONS, "of_sessions", [...VISITS, ...ENTRIES, ...EVENTS], { bucket }),
    part(SESSIONS, "of_wallets", ["wallets"], { bucket }),
  ];
  // A day is clean or dirty as a whole: nobody counts in both.
  const known =
    interval === "day"
      ? []
      : [
          part(ROLLUPS, "known_visitors", ["visitors"], { bucket, bots }),
          part(ROLLUPS, "dirty_wallets", []),
          part(ROLLUPS, "known_wallets", ["wallets"], { bucket, bots }),
        ];
  return { parts: [chosen, ...counted, ...known, ...window], params };
}

/** Whether the visitors of a rollup row are new in their bucket: last seen before its first day in the window. */
function newIn(interval: SeriesOwn["interval"], buckets: Buckets): { isNew: string; params: Totals["params"] } {
  if (interval === "day") return { isNew: TRUE, params: {} };
  if (interval === "all") return { isNew: "r.seen_before <= s.first_day", params: {} };
  const begins = Array.from({ length: buckets.count }, (_, nth) => buckets.dateOf(nth));
  const begin = `{begins:Array(Date)}[1 + ${buckets.ofDay("r.day")}]`;
  return { isNew: `r.seen_before <= greatest(${begin}, s.first_day)`, params: { begins } };
}
