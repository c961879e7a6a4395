/** The numbers of the last 30 minutes. */
import { LIVE } from "../../contract/live.ts";
import { dayOf } from "../../lib/time.ts";
import { shownValue } from "../../materialize/columns.ts";
import { levelOf } from "../filters/filter-terms.ts";
import { type Failures, type Filters, readFilters } from "../filters/filters.ts";
import { ofSession, readConditions } from "../report/conditions.ts";
import { readWindowParts, toCtes } from "../report/parts.ts";
import { planPeople } from "../report/people.ts";
import { scopeOf } from "../report/question.ts";
import { hullOf } from "../report/window.ts";
import type { Lookup, LookupContext } from "../run/run-lookup.ts";
import { withRelations } from "../run/with-relations.ts";

const PARTS = readWindowParts(new URL("./live.sql", import.meta.url));
const ANSWER_PARTS = ["hits", "seen", "minutes", "places", "visits", "touches", "ranked"] as const;
const MINUTE_MS = 60_000;

interface Counts {
  readonly visitors: number;
  readonly sessions: number;
  readonly wallets: number;
  readonly events: number;
  readonly page_views: number;
}

type Top<Column extends string> = readonly (Readonly<Record<Column, string>> & Counts)[];

export interface LiveNumbers {
  readonly from: string;
  readonly to: string;
  readonly now: Counts & { readonly live_visitors: number };
  readonly minutes: readonly (Counts & { readonly minute: string })[];
  readonly top_pages: Top<"origin" | "pathname">;
  readonly top_chains: Top<"chain_id">;
  readonly top_countries: Top<"location">;
  readonly top_sources: Top<"referrer">;
}

export type ReadLive =
  | { readonly ok: true; readonly value: Filters }
  | { readonly ok: false; readonly failures: Failures };

/** `segment` are the filters of the segment that the query names. */
export function readLive(
  query: { readonly filters?: string },
  nowMs: number,
  segment: readonly unknown[] = [],
): ReadLive {
  const failures: Failures = new Map();
  const filters = readFilters(query, failures, { nowMs, segment });
  return failures.size > 0 ? { ok: false, failures } : { ok: true, value: filters };
}

export function liveNumbers(filters: Filters): Lookup<LiveNumbers> {
  return { name: "live", run: (given) => queryLive(filters, given) };
}

type Dimension = "total" | "minute" | "page" | "chain" | "country" | "source";
type LiveRow = Counts & {
  readonly dimension: Dimension;
  readonly value: string;
  readonly detail: string;
  readonly live: number;
};

/** The current minute and those before it. */
function windowAt(nowMs: number) {
  const toMs = (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
  const fromMs = toMs - LIVE.minutes * MINUTE_MS;
  return { fromMs, toMs };
}

async function queryLive(filters: Filters, given: LookupContext): Promise<LiveNumbers> {
  const window = windowAt(given.nowMs);
  const rows = await select<LiveRow>(window, filters, given, ANSWER_PARTS, "answer", { rows: LIVE.topRows });
  return shapeLive(rows, window.fromMs, window.toMs);
}

/** What the stream of events says beside them. */
export interface LiveCounts {
  readonly live_visitors: number;
  readonly events_per_minute: number;
}

const EVERYTHING: Filters = { conditions: [], people: [] };

export function liveCounts(): Lookup<LiveCounts> {
  return {
    name: "live_counts",
    async run(given) {
      const toMs = windowAt(given.nowMs).toMs;
      const fromMs = given.nowMs - LIVE.liveMinutes * MINUTE_MS;
      const [counts] = await select<LiveCounts>({ fromMs, toMs }, EVERYTHING, given, ["hits", "seen"], "now", {
        minute_ms: given.nowMs - MINUTE_MS,
      });
      return counts ?? { live_visitors: 0, events_per_minute: 0 };
    },
  };
}

/** `parts` are the CTEs of the statement. */
async function select<T>(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  { conditions, people }: Filters,
  { engine, owner, nowMs, signal }: LookupContext,
  parts: readonly string[],
  statement: string,
  more: Readonly<Record<string, unknown>>,
): Promise<readonly T[]> {
  if (owner.projects.length === 0) return [];
  const days = { firstDay: dayOf(fromMs), lastDay: dayOf(toMs - 1) };
  const done = planPeople(people);
  const scope = scopeOf(owner, hullOf(days, done.days), nowMs);
  const relations = await engine.relations.forReport(scope, signal);
  const withoutBots = owner.projects.filter(({ excludeBots }) => excludeBots).map(({ id }) => id);
  const { texts, params } = readConditions({ conditions, people, leavesBotsOut: withoutBots.length > 0 }, ofSession);
  const isAboutSessions = withoutBots.length > 0 || conditions.some(({ field }) => levelOf(field) === "session");
  const counted = isAboutSessions ? "seen" : "hits";
  const ctes = toCtes(PARTS, [...parts, statement], {
    ...texts,
    source: shownValue("referrer", "v.referrer"),
    counted,
  });
  const last = ctes.pop()?.sql ?? "";
  const { rows } = await engine.select<T>(withRelations([...relations.ctes, ...done.ctes, ...ctes], last), {
    params: {
      ...relations.params,
      ...done.params,
      ...params,
      projects: scope.projects.map(({ id }) => id),
      first_day: days.firstDay,
      last_day: days.lastDay,
      from_ms: fromMs,
      to_ms: toMs,
      live_ms: nowMs - LIVE.liveMinutes * MINUTE_MS,
      without_bots: withoutBots,
      ...more,
    },
    signal,
  });
  return rows;
}

const NOTHING: Counts = { visitors: 0, sessions: 0, wallets: 0, events: 0, page_views: 0 };

function shapeLive(rows: readonly LiveRow[], fromMs: number, toMs: number): LiveNumbers {
  const of = (dimension: Dimension) => rows.filter((row) => row.dimension === dimension);
  const byMinute = new Map(of("minute").map((row) => [Number(row.value), countsOf(row)]));
  const timeOf = (ms: number) => new Date(ms).toISOString();
  const [total] = of("total");
  return {
    from: timeOf(fromMs),
    to: timeOf(toMs),
    now: { live_visitors: total?.live ?? 0, ...countsOf(total ?? NOTHING) },
    minutes: Array.from({ length: LIVE.minutes }, (_, nth) => ({
      minute: timeOf(fromMs + nth * MINUTE_MS),
      ...(byMinute.get(nth) ?? NOTHING),
    })),
    top_pages: of("page").map((row) => ({ origin: row.detail, pathname: row.value, ...countsOf(row) })),
    top_chains: of("chain").map((row) => ({ chain_id: row.value, ...countsOf(row) })),
    top_countries: of("country").map((row) => ({ location: row.value, ...countsOf(row) })),
    top_sources: of("source").map((row) => ({ referrer: row.value, ...countsOf(row) })),
  };
}

function countsOf({ visitors, sessions, wallets, events, page_views }: Counts): Counts {
  return { visitors, sessions, wallets, events, page_views };
}
