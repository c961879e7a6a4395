/** The numbers of the last 30 minutes. */
import { LIVE } from "../../contract/live.ts";
import { readSqlParts } from "../../lib/sql.ts";
import { dayOf } from "../../lib/time.ts";
import { shownValue } from "../../materialize/columns.ts";
import { ofSession, readConditions } from "../conditions.ts";
import { FIELDS } from "../filter-terms.ts";
import { type Condition, type Failures, readFilters } from "../filters.ts";
import { toCtes } from "../parts.ts";
import type { Lookup, LookupContext } from "../run-lookup.ts";
import { withRelations } from "../with-relations.ts";

const PARTS = readSqlParts(new URL("./live.sql", import.meta.url));
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

export interface LiveQuestion {
  readonly conditions: readonly Condition[];
}

export type ReadLive =
  | { readonly ok: true; readonly value: LiveQuestion }
  | { readonly ok: false; readonly failures: Failures };

export function readLive(query: { readonly filters?: string }): ReadLive {
  const failures: Failures = new Map();
  const conditions = typeof query.filters === "string" ? readFilters(query.filters, failures) : [];
  return failures.size > 0 ? { ok: false, failures } : { ok: true, value: { conditions } };
}

export function liveNumbers(question: LiveQuestion): Lookup<LiveNumbers> {
  return { name: "live", run: (given) => askLive(question, given) };
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

async function askLive({ conditions }: LiveQuestion, given: LookupContext): Promise<LiveNumbers> {
  const window = windowAt(given.nowMs);
  const rows = await select<LiveRow>(window, conditions, given, ANSWER_PARTS, "answer", { rows: LIVE.topRows });
  return shapeLive(rows, window.fromMs, window.toMs);
}

/** What the stream of events says beside them. */
export interface LiveCounts {
  readonly live_visitors: number;
  readonly events_per_minute: number;
}

export function liveCounts(): Lookup<LiveCounts> {
  return {
    name: "live_counts",
    async run(given) {
      const toMs = windowAt(given.nowMs).toMs;
      const fromMs = given.nowMs - LIVE.liveMinutes * MINUTE_MS;
      const [counts] = await select<LiveCounts>({ fromMs, toMs }, [], given, ["hits", "seen"], "now", {
        minute_ms: given.nowMs - MINUTE_MS,
      });
      return counts ?? { live_visitors: 0, events_per_minute: 0 };
    },
  };
}

/** `parts` are the CTEs of the statement. */
async function select<T>(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  conditions: readonly Condition[],
  { engine, owner, nowMs, signal }: LookupContext,
  parts: readonly string[],
  statement: string,
  more: Readonly<Record<string, unknown>>,
): Promise<readonly T[]> {
  if (owner.projects.length === 0) return [];
  const days = { firstDay: dayOf(fromMs), lastDay: dayOf(toMs - 1) };
  const projects = owner.projects.map(({ id }) => ({ id, firstDay: days.firstDay }));
  const relations = await engine.relations.forReport({ projects, ...days }, signal);
  const withoutBots = owner.projects.filter(({ excludeBots }) => excludeBots).map(({ id }) => id);
  const { texts, params } = readConditions({ conditions, leavesBotsOut: withoutBots.length > 0 }, ofSession);
  const isAboutSessions = withoutBots.length > 0 || conditions.some(({ field }) => FIELDS[field].level === "session");
  const counted = isAboutSessions ? "seen" : "hits";
  const ctes = toCtes(PARTS, [...parts, statement], {
    ...texts,
    source: shownValue("referrer", "v.referrer"),
    counted,
  });
  const last = ctes.pop()?.sql ?? "";
  const { rows } = await engine.select<T>(withRelations([...relations.ctes, ...ctes], last), {
    params: {
      ...relations.params,
      ...params,
      projects: projects.map(({ id }) => id),
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
