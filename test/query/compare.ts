import assert from "node:assert/strict";
import type { ReportQuery } from "../../src/contract/analytics.ts";
import { REPORT_NAMES, type ReportName } from "../../src/contract/reports.ts";
import { createHasher } from "../../src/engines/event-hashes.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { DAY_MS, HOUR_MS } from "../../src/lib/time.ts";
import { firstKeptDay } from "../../src/materialize/kept-days.ts";
import { MARGINS } from "../../src/materialize/margins.ts";
import { createRunReport, type RunReport } from "../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { questionOf } from "../../src/query/testing.ts";
import { startLocalEngine } from "../support/local-engine.ts";
import { compareDerived } from "./derived.ts";
import { createRandom, generateEvents, generateQuery } from "./generate.ts";
import { generateBreakdown } from "./generate-breakdown.ts";
import { generateEventsQuery } from "./generate-events.ts";
import { generateFlow } from "./generate-flow.ts";
import { generateFunnel } from "./generate-funnel.ts";
import { withPeople } from "./generate-people.ts";
import { generateSeriesQuery } from "./generate-series.ts";
import { generateFrequency, generateLifecycle, generateRetention } from "./generate-users.ts";
import { answer, type OracleAnswer, type OracleEvent, type OracleQuery } from "./oracle.ts";
import { answerBreakdown, type BreakdownQuery } from "./oracle-breakdown.ts";
import { answerEvents, type EventsQuery } from "./oracle-events.ts";
import { answerFlow, type FlowQuery } from "./oracle-flow.ts";
import { answerFunnel, type FunnelQuery } from "./oracle-funnel.ts";
import { resolvePeople } from "./oracle-people.ts";
import { answerRetention, type RetentionQuery } from "./oracle-retention.ts";
import { answerSeries, type SeriesQuery } from "./oracle-series.ts";
import { answerFrequency, answerLifecycle, type LifecycleQuery, type UsersQuery } from "./oracle-users.ts";
import { inZone, utcDay, zoneDay } from "./oracle-zone.ts";
import { createEventStore, toRow } from "./store-rows.ts";

const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06"];

/** Of these days four are over, one is today and one is in the future. */
export const NOW_MS = Date.parse("2026-03-05T12:00:00Z");

/** The days of the events, and the time at which everything is asked. */
interface Calendar {
  readonly days: readonly string[];
  readonly nowMs: number;
}

/** Six days around one on which some clocks change: it is the third. */
function calendarAround(day: string): Calendar {
  const days = [-2, -1, 0, 1, 2, 3].map((after) => dayOf(Date.parse(day) + after * DAY_MS));
  return { days, nowMs: Date.parse(`${days[4]}T12:00:00Z`) };
}

/** Clocks change in New York, Berlin and Chatham in both ways, and Samoa leaves a whole day out. */
export const CHANGES: readonly Calendar[] = [
  ...["2026-03-08", "2026-03-29", "2026-04-05", "2026-10-25", "2026-11-01", "2026-09-27", "2011-12-30"],
].map(calendarAround);

/** Whole hours in both directions with changes of clocks, a half hour, 45 minutes, and the other side of the date line. */
export const ZONES = [
  "UTC",
  "America/New_York",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Pacific/Chatham",
  "Pacific/Apia",
  "America/St_Johns",
] as const;

const TYPES: Record<string, string> = {
  hits: "UInt64",
  sessions: "UInt64",
  visitors: "UInt64",
  sum_revenue: "Float64",
  sum_volume: "Float64",
  revenue: "Float32",
  volume: "Float32",
  date: "Date",
  count: "UInt64",
  events: "UInt64",
  user_count: "UInt64",
  user_count_previous: "UInt64",
  avg_session_per_user: "Float64",
  avg_session_per_user_previous: "Float64",
  step: "UInt64",
  users: "UInt64",
  total: "UInt64",
  dropped_off_users: "UInt64",
  conversion_from_start: "Nullable(Float64)",
  conversion_from_previous: "Nullable(Float64)",
  dropoff_from_previous: "Nullable(Float64)",
  median_seconds_from_previous: "Nullable(Float64)",
  median_seconds_from_start: "Nullable(Float64)",
  weekday: "UInt8",
  hour: "UInt8",
  pageviews: "UInt64",
  bounce_rate: "Float64",
  exit_rate: "Float64",
  avg_session_sec: "Float64",
  bucket_visitors: "UInt64",
  wallets: "UInt64",
  transactions: "UInt64",
  transacting_wallets: "UInt64",
  conversion: "Nullable(Float64)",
  revenue_per_wallet: "Nullable(Float64)",
};
const KPI_TYPES = { revenue: "Float64", volume: "Float64", revenue_previous: "Float64", volume_previous: "Float64" };

export interface TestWarehouse {
  engine: AnalyticsEngine;
  stop(): Promise<void>;
}

export interface Comparison {
  seed: number;
  queries: number;
  /** Queries for one set of events in one of its states. A fraction is an average: 1.6 are one or two. */
  queriesPerState?: number;
  /** The projects of a set; all but the last of them get a retention limit. */
  projectsPerSet?: number;
  eventsPerSet?: number;
  /** Only the first of the days. */
  days?: number;
  /** Each question is about the days of one of these time zones. Absent: UTC. */
  zones?: readonly string[];
  /** Sets of events take turns: other days, and other times at which they are asked. */
  calendars?: readonly Calendar[];
  /** Other days, up to the one after `NOW_MS`. */
  dates?: readonly string[];
  /** The warehouse, with its schema and the clock at `NOW_MS`. Default: DuckDB in this process. */
  open?: (given: { nowMs: () => number }) => Promise<TestWarehouse>;
  /**
   * Which of several copies of a message counts. ClickHouse decides by the time of receipt, DuckDB by the first it
   * stored.
   */
  counted?: "stored first" | "received first";
  /** Statements for an engine that computes a CTE again for each of its readers, whatever this one does. */
  unshared?: true;
  /** Only these reports. */
  reports?: readonly string[];
  /** The share of questions about people who have done something; otherwise a few. */
  people?: number;
  /** Asks for every report once before it asks for any of them again. */
  everyReport?: true;
  /** Compares sessions and rollups in each state, too, or in those named. */
  derived?: true | readonly string[];
  /** Asks in these states only. A state between them that materializes some partitions is left out. */
  states?: readonly string[];
  /** Of a state that is clean in part, at most so many partitions. */
  cleanAtMost?: number;
  /** Opens another warehouse for each set of events: the memory of an emulated ClickHouse never shrinks. */
  isFreshForSet?: true;
  /** False ends the comparison before its next state. */
  hasTime?: () => boolean;
  /** Receives the number of queries for each state. */
  onState?: (asked: number) => void;
}

/**
 * Sends the same generated queries about the same generated events to the product and to the oracle, and requires the
 * same result to the last row. Each set of events is queried in these states: all partitions dirty; the first ones
 * clean; all past ones clean; today rolled up, more of its events, rolled up again, late ones, and so on (DuckDB only); some
 * dirty again because of late events and copies; some projects counting bots that left
 * them out, and the reverse; all derived data rebuilt; and the first days of some projects beyond their retention:
 * before, during and after removal, with the limit lifted again, and with late events of such days.
 */
export async function compareReports(options: Comparison): Promise<number> {
  const open = options.open ?? startLocalEngine;
  let nowMs = calendarOf(options, 0).nowMs;
  const clock = { nowMs: () => nowMs };
  let { engine, stop } = await open(clock);
  try {
    let asked = 0;
    const unasked = new Set<ReportName>();
    for (let set = 0; asked < options.queries && (options.hasTime?.() ?? true); set += 1) {
      nowMs = calendarOf(options, set).nowMs;
      if ((options.isFreshForSet || options.calendars) && set > 0) {
        await stop();
        ({ engine, stop } = await open(clock));
      }
      asked += await compareSet(engine, options, set, options.queries - asked, unasked);
    }
    return asked;
  } finally {
    await stop();
  }
}

/** A statement with a relation that the engine may keep is run as it is, and then over what was kept. */
function askAgain(engine: AnalyticsEngine): AnalyticsEngine["select"] {
  return async (sql, options = {}) => {
    const { reads: _reads, ...unshared } = options;
    if (options.kept !== undefined) await engine.select(sql, unshared);
    return engine.select(sql, options);
  };
}

function calendarOf({ dates, days: most, calendars = [] }: Comparison, set: number): Calendar {
  const { days, nowMs } = calendars[set % calendars.length] ?? { days: dates ?? DAYS, nowMs: NOW_MS };
  return { days: days.slice(0, most), nowMs };
}

interface ProjectLimit {
  readonly projectId: string;
  readonly days: number;
}

/** A change to a set of events before it is queried again. */
interface State {
  readonly name: string;
  readonly add?: readonly OracleEvent[];
  readonly act?: () => Promise<unknown>;
  /** Projects with a retention limit, from here on. */
  readonly limits?: readonly ProjectLimit[];
  /** Expired events are removed, from here on. */
  readonly isRemoved?: true;
  /** The projects whose rollups are made without bots, from here on. */
  readonly withoutBots?: readonly string[];
}

async function compareSet(
  engine: AnalyticsEngine,
  options: Comparison,
  set: number,
  wanted: number,
  unasked: Set<ReportName>,
): Promise<number> {
  const seed = options.seed + set;
  const random = createRandom(seed);
  const projects = ["a", "b", "c"].slice(0, options.projectsPerSet).map((name) => `${name}-${set}`);
  const { days, nowMs } = calendarOf(options, set);
  const clock = { nowMs: () => nowMs };
  const generated = generateEvents(random, {
    projects,
    days,
    count: options.eventsPerSet ?? 600,
    poolSize: 3 + random.int(20),
  });
  const goesByReceipt = options.counted === "received first";
  const all = goesByReceipt ? withoutRevived(generated, projects.slice(0, -1)) : generated;
  addTies(all);
  const settings = { withoutBots: projects.slice(0, 1) };
  const states = listStates(engine, {
    ...{ all, projects, days, nowMs, random, goesByReceipt, settings },
    cleanAtMost: options.cleanAtMost ?? Number.POSITIVE_INFINITY,
  });
  const store = await createEventStore(engine, `set-${set}`);
  const relations = options.unshared ? { ...engine.relations, sharesCtes: false } : engine.relations;
  const run = createRunReport({
    engine: { select: askAgain(engine), relations },
    clock,
    slots: createQuerySlots({ running: 10, waiting: 1, waitMs: 1 }),
  });
  let stored = new Map<string, OracleEvent>();
  let limits: readonly ProjectLimit[] = [];
  let asked = 0;
  const { queriesPerState = 16 } = options;
  const isAsked = ({ name }: State) => options.states?.includes(name) ?? true;
  const visited = states.filter(
    (state) => isAsked(state) || state.add || state.limits || state.isRemoved || state.withoutBots,
  );
  let nth = -1;
  for (const state of visited) {
    if (asked >= wanted || options.hasTime?.() === false) break;
    await store((state.add ?? []).map(toRow));
    for (const event of state.add ?? []) {
      const known = stored.get(keyOf(event));
      if (known === undefined || (goesByReceipt && event.received_at < known.received_at))
        stored.set(keyOf(event), event);
    }
    settings.withoutBots = [...(state.withoutBots ?? settings.withoutBots)];
    if (isAsked(state) || state.isRemoved || state.add) await state.act?.();
    limits = state.limits ?? limits;
    const shown = [...stored.values()].filter((event) => isKept(event, limits, nowMs));
    if (state.isRemoved) stored = new Map(shown.map((event) => [keyOf(event), event]));
    const about = `seed ${seed}, ${state.name}`;
    if (!isAsked(state)) continue;
    nth += 1;
    if (options.derived === true || options.derived?.includes(state.name))
      await compareDerived(engine, { projects, events: [...stored.values()], about, ...settings });
    const count = Math.min(Math.round((nth + 1) * queriesPerState) - Math.round(nth * queriesPerState), wanted - asked);
    const always = plainQueries(projects, days).map((query) => toAsk({ ...query, excludeBots: settings.withoutBots }));
    for (let i = 0; i < count; i += 1) {
      const wantsAll = options.reports === undefined;
      if (options.everyReport && unasked.size === 0) for (const name of REPORT_NAMES) unasked.add(name);
      const ask =
        (wantsAll && count > 4 ? always[i] : undefined) ??
        makeAsk(
          random,
          { projects, days, events: all, people: options.people },
          options.everyReport ? [...unasked] : options.reports,
        );
      unasked.delete(ask.report);
      const zone = options.zones && random.pick(options.zones);
      await compareOne(
        run,
        { events: shown, limits, nowMs, zone },
        ask,
        `seed ${seed}, ${state.name}, query ${asked + i}`,
      );
    }
    asked += count;
    options.onState?.(count);
  }
  return asked;
}

/** A question to the product, with the oracle's answer to it. */
export interface Ask {
  readonly report: ReportName;
  readonly projects: readonly string[];
  /** Projects that exclude bots. */
  readonly excludeBots?: readonly string[];
  /** The query as the API server receives it, after its schema. */
  readonly query: ReportQuery;
  /** Types of its columns that other reports have under the same name with another type. */
  readonly types?: Readonly<Record<string, string>>;
  /** From all events that count, of all projects and days. */
  expect(events: readonly OracleEvent[], nowMs: number): OracleAnswer;
}

export interface AskSource {
  readonly projects: readonly string[];
  readonly days: readonly string[];
  /** All events of the set, also those that are not yet stored. */
  readonly events: readonly OracleEvent[];
  /** The share of questions about people who have done something. */
  readonly people?: number | undefined;
}

/** Each makes questions about some of the reports; those about many of them are there twice. */
const GENERATORS: readonly ((random: ReturnType<typeof createRandom>, source: AskSource) => Ask)[] = [
  (random, source) => toAsk(withPeople(random, source, generateQuery(random, source))),
  (random, source) => toEventsAsk(withPeople(random, source, generateEventsQuery(random, source))),
  (random, source) => toEventsAsk(withPeople(random, source, generateEventsQuery(random, source))),
  (random, source) => toFunnelAsk(withPeople(random, source, generateFunnel(random, source))),
  (random, source) => toFlowAsk(withPeople(random, source, generateFlow(random, source))),
  (random, source) => toSeriesAsk(withPeople(random, source, generateSeriesQuery(random, source))),
  (random, source) => toSeriesAsk(withPeople(random, source, generateSeriesQuery(random, source))),
  (random, source) => toBreakdownAsk(withPeople(random, source, generateBreakdown(random, source))),
  (random, source) =>
    toLifecycleAsk(
      withPeople(random, source, generateLifecycle(random, source)),
      random.pick(["lifecycle", "user_lifecycle"]),
    ),
  (random, source) => toRetentionAsk(withPeople(random, source, generateRetention(random, source))),
  (random, source) =>
    toFrequencyAsk(
      withPeople(random, source, generateFrequency(random, source)),
      random.pick(["frequency", "user_frequency"]),
    ),
];

/** The reports of so many questions of each generator: those that have an oracle. */
export function reportsWithOracle(questions: number): ReadonlySet<ReportName> {
  const random = createRandom(1);
  const projects = ["a"];
  const events = generateEvents(random, { projects, days: DAYS, count: 60, poolSize: 5 });
  const asks = GENERATORS.flatMap((generate) =>
    Array.from({ length: questions }, () => generate(random, { projects, days: DAYS, events })),
  );
  return new Set(asks.map(({ report }) => report));
}

export function makeAsk(random: EventSet["random"], source: AskSource, reports: Comparison["reports"]): Ask {
  for (;;) {
    const ask = random.pick(GENERATORS)(random, source);
    if (reports?.includes(ask.report) ?? true) return ask;
  }
}

function toAsk(asked: OracleQuery): Ask {
  const { report, projects, excludeBots, limit, offset, ...rest } = asked;
  return {
    report,
    projects,
    ...(excludeBots === undefined ? {} : { excludeBots }),
    query: { ...toQuery(rest), limit, offset },
    expect: (events, nowMs) => answer(events, resolvePeople(events, asked, nowMs)),
  };
}

function toEventsAsk(asked: EventsQuery): Ask {
  const { report, projects, excludeBots, limit, offset, keys, ...rest } = asked;
  const page = report === "event_timeseries" ? { ...(keys === undefined ? {} : { limit: keys }) } : { limit, offset };
  return {
    report,
    projects,
    ...(excludeBots === undefined ? {} : { excludeBots }),
    query: { ...toQuery(rest), ...page },
    expect: (events, nowMs) => answerEvents(events, resolvePeople(events, asked, nowMs)),
  };
}

function toBreakdownAsk(asked: BreakdownQuery): Ask {
  const { projects, excludeBots, ...rest } = asked;
  return {
    report: "breakdown",
    projects,
    ...(excludeBots === undefined ? {} : { excludeBots }),
    query: toQuery(rest),
    types: KPI_TYPES,
    expect: (events, nowMs) => answerBreakdown(events, resolvePeople(events, asked, nowMs)),
  };
}

function toFunnelAsk(asked: FunnelQuery): Ask {
  const { projects, excludeBots, steps, ...rest } = asked;
  return {
    report: "funnel",
    projects,
    ...(excludeBots === undefined ? {} : { excludeBots }),
    query: { ...toQuery(rest), steps: JSON.stringify(steps) },
    expect: (events, nowMs) => answerFunnel(events, resolvePeople(events, asked, nowMs)),
  };
}

function toFlowAsk(asked: FlowQuery): Ask {
  const { projects, excludeBots, start_step, end_step, through, global_filters, ...rest } = asked;
  return {
    report: "flow",
    projects,
    ...(excludeBots === undefined ? {} : { excludeBots }),
    query: {
      ...toQuery(rest),
      ...given("start_step", start_step),
      ...given("end_step", end_step),
      ...given("through", through),
      ...given("global_filters", global_filters),
    },
    types: { step: "UInt32", transitions: "UInt64", percentage: "Float64" },
    expect: (events, nowMs) => answerFlow(events, resolvePeople(events, asked, nowMs)),
  };
}

function toSeriesAsk(asked: SeriesQuery): Ask {
  const { report, projects, excludeBots, limit, offset, groups, ...rest } = asked;
  const page = report === "top_pages" ? { limit, offset } : { ...(groups === undefined ? {} : { limit: groups }) };
  return {
    report,
    projects,
    ...(excludeBots === undefined ? {} : { excludeBots }),
    query: { ...toQuery(rest), ...page },
    ...(report === "kpis"
      ? { types: { ...KPI_TYPES, ...(asked.interval === "hour" ? { date: "DateTime" } : {}) } }
      : {}),
    expect: (events, nowMs) => answerSeries(events, resolvePeople(events, asked, nowMs)),
  };
}

function toLifecycleAsk(asked: LifecycleQuery, report: "lifecycle" | "user_lifecycle"): Ask {
  const { days, ...rest } = asked;
  const { query, ...ask } = toUsersAsk(rest);
  return {
    ...ask,
    report,
    query: { ...query, ...days },
    expect: (events, nowMs) => answerLifecycle(events, resolvePeople(events, asked, nowMs)),
  };
}

function toFrequencyAsk(asked: UsersQuery, report: "frequency" | "user_frequency"): Ask {
  return {
    ...toUsersAsk(asked),
    report,
    expect: (events, nowMs) => answerFrequency(events, resolvePeople(events, asked, nowMs)),
  };
}

function toUsersAsk(asked: UsersQuery): Pick<Ask, "projects" | "excludeBots" | "query"> {
  const { projects, excludeBots, behavior_filters, source_filter, channel_filter, stages = [], ...rest } = asked;
  return {
    projects,
    ...(excludeBots === undefined ? {} : { excludeBots }),
    query: {
      ...toQuery({ ...rest, filters: [...rest.filters, ...stages] }),
      ...given("behavior_filters", behavior_filters),
      ...given("source_filter", source_filter),
      ...given("channel_filter", channel_filter),
    },
  };
}

/** A parameter that is JSON. */
function given(name: string, value: unknown): Record<string, string> {
  return value === undefined ? {} : { [name]: JSON.stringify(value) };
}

function toRetentionAsk(asked: RetentionQuery): Ask {
  const { user_filters, ...rest } = asked;
  const { query, ...ask } = toUsersAsk(rest);
  return {
    ...ask,
    report: "retention",
    query: { ...query, ...given("user_filters", user_filters) },
    types: {
      metric: "Tuple(String, UInt64, UInt64, UInt64, UInt64, Float64, Float64, Float64)",
      user: `Array(Tuple(String, Date, UInt64${", Nullable(Float64)".repeat(14)}))`,
    },
    expect: (events, nowMs) => answerRetention(events, resolvePeople(events, asked, nowMs), zoneDay(nowMs)),
  };
}

/** Parameters of the oracle under the names of the API. */
function toQuery<T extends Pick<OracleQuery, "from" | "to" | "filters">>({ from, to, filters, ...own }: T) {
  return {
    date_from: from,
    date_to: to,
    ...(filters.length === 0 ? {} : { filters: JSON.stringify(filters) }),
    ...own,
  };
}

/** The queries of a dashboard. */
function plainQueries(projects: string[], days: readonly string[]): OracleQuery[] {
  const common = { projects, filters: [], limit: 1000, offset: 0, from: days[0] ?? "", to: days.at(-1) ?? "" };
  return [
    { ...common, report: "top_sources" },
    { ...common, report: "top_chains" },
    { ...common, report: "revenue_by_metric", metric_column: "referrer" },
  ];
}

interface EventSet {
  readonly all: readonly OracleEvent[];
  readonly projects: readonly string[];
  readonly days: readonly string[];
  readonly nowMs: number;
  readonly random: ReturnType<typeof createRandom>;
  readonly goesByReceipt: boolean;
  readonly cleanAtMost: number;
  /** Those of the projects, as they are when a state acts. */
  readonly settings: { withoutBots: readonly string[] };
}

function listStates(engine: AnalyticsEngine, set: EventSet): State[] {
  const { all, projects, days, nowMs, random, goesByReceipt, settings } = set;
  const { maintenance } = engine;
  const { signal } = new AbortController();
  const isOurs = ({ project_id }: { project_id: string }) => projects.includes(project_id);
  const few = [random.pick(days), random.pick(days)];
  const [first, middle, last] = [0, 1, 2].map((n) => all.filter((_, at) => at % 10 < 9 && at % 3 === n));
  const after = all.filter((_, at) => at % 10 === 9);
  const isOfFew = ({ timestamp }: OracleEvent) => few.includes(dayOf(timestamp));
  const materialize = async (most = Number.POSITIVE_INFINITY) => {
    // So much later that no late event is expected any more.
    const dirty = (await maintenance.listDirty(nowMs + MARGINS.quietMs, settings.withoutBots)).filter(isOurs);
    const some = dirty.slice(0, most);
    const done = await maintenance.materialize(some, signal);
    assert.equal(done.length, some.length, "partitions are due in an order in which they can be materialized");
  };
  const rollUp = (atMs = nowMs) =>
    maintenance.rollUpHours({ nowMs: atMs, withoutBots: settings.withoutBots, fewestEvents: 1 }, signal);
  // Received after all others, as events are that the writer reads one after the other.
  const ofToday = (middle ?? []).filter(({ timestamp }) => dayOf(timestamp) === dayOf(nowMs));
  const receivedFrom = (rest: number, ms: number) =>
    ofToday.filter((_, nth) => nth % 3 === rest).map((event, nth) => ({ ...event, received_at: nowMs + ms + nth }));
  const materializeSome = (some: number) => materialize(Math.min(some, set.cleanAtMost));
  const limits = projects.slice(0, -1).map((projectId, nth) => ({ projectId, days: 2 + nth }));
  const remove = () =>
    maintenance.removeBefore(
      limits.map(({ projectId, days }) => ({ projectId, firstDay: firstKeptDay(days, nowMs) })),
      signal,
    );
  return [
    { name: "dirty", add: first ?? [] },
    { name: "clean in part", act: () => materializeSome(1 + random.int(8)) },
    { name: "clean", act: () => materialize() },
    ...(engine.relations.sharesCtes
      ? [
          { name: "today rolled up", act: () => rollUp(nowMs - 4 * HOUR_MS) },
          { name: "with later events of today", add: receivedFrom(0, -3 * HOUR_MS) },
          { name: "today rolled up again", act: () => rollUp() },
          { name: "with late events of today's hours", add: receivedFrom(1, HOUR_MS) },
          { name: "today rolled up a third time", act: () => rollUp(nowMs + 2 * HOUR_MS) },
          { name: "with the last events of today", add: receivedFrom(2, 3 * HOUR_MS) },
        ]
      : []),
    {
      name: "with late events and copies",
      add: [
        ...(middle ?? []).filter(isOfFew),
        ...withoutRevived(
          [...all, ...repeatSome(first ?? [], days, random)],
          goesByReceipt ? projects.slice(0, -1) : [],
        ).slice(all.length),
      ],
    },
    { name: "clean again in part", act: () => materializeSome(1 + random.int(4)) },
    { name: "with late events of all days", add: (middle ?? []).filter((event) => !isOfFew(event)) },
    { name: "clean again", act: () => materialize().then(() => rollUp()) },
    {
      name: "with other settings for bots, clean in part",
      withoutBots: projects.slice(1),
      act: () => materializeSome(1 + random.int(8)),
    },
    { name: "with other settings for bots, clean", act: () => materialize().then(() => rollUp()) },
    { name: "rebuilt", add: last ?? [], act: () => maintenance.rebuild(() => undefined, signal) },
    { name: "rebuilt, clean in part", act: () => materializeSome(2 + random.int(8)) },
    { name: "kept for a while", limits },
    { name: "removed", act: remove, isRemoved: true },
    { name: "removed, and kept for ever from here on", limits: [] },
    { name: "removed, clean", act: () => materialize().then(() => rollUp()) },
    { name: "late after the removal", add: after },
    { name: "late after the removal, clean", act: () => materialize() },
  ];
}

/** Later copies of stored messages: identical, of another visitor, or of another day. None of them counts. */
function repeatSome(
  events: readonly OracleEvent[],
  days: readonly string[],
  random: EventSet["random"],
): OracleEvent[] {
  const changes = [
    (event: OracleEvent) => event,
    (event: OracleEvent) => ({ ...event, anonymous_id: `other ${event.anonymous_id}`, session_id: "" }),
    (event: OracleEvent) => ({ ...event, timestamp: Date.parse(random.pick(days)) + random.int(DAY_MS) }),
  ];
  const later = ({ received_at, ...event }: OracleEvent) => ({ ...event, received_at: received_at + 7 * DAY_MS });
  return events.filter(() => random.chance(0.3)).map((event) => later(random.pick(changes)(event)));
}

/**
 * Removes the copies of a message that are on another day than its first copy, for some projects. After the day of the
 * counted copy is removed, such a copy may count again or be gone, depending on whether ClickHouse has merged them.
 */
export function withoutRevived(events: readonly OracleEvent[], projects: readonly string[]): OracleEvent[] {
  const days = new Map<string, string>();
  for (const event of events) if (!days.has(keyOf(event))) days.set(keyOf(event), dayOf(event.timestamp));
  return events.filter(
    (event) => !projects.includes(event.project_id) || days.get(keyOf(event)) === dayOf(event.timestamp),
  );
}

function dayOf(timestamp: number): string {
  return new Date(timestamp).toISOString().slice(0, 10);
}
const keyOf = ({ project_id, day, message_id }: OracleEvent) => JSON.stringify([project_id, day, message_id]);

/** A project keeps today and that many whole days before it. */
function isKept(
  { project_id, timestamp }: OracleEvent,
  limits: readonly ProjectLimit[],
  nowMs: number,
  dayOfTime = utcDay,
): boolean {
  const limit = limits.find(({ projectId }) => projectId === project_id);
  return limit === undefined || dayOfTime(timestamp) >= utcDay(nowMs) - limit.days;
}

/** Part of a hash orders events of the same time; any fixed order works if both sides use the same. */
export function addTies(events: readonly OracleEvent[]): void {
  const hash = createHasher();
  for (const event of events) {
    const { dedupe_key } = hash({
      projectId: event.project_id,
      dedupeDay: event.day,
      messageId: event.message_id,
      day: 0,
      sessionId: "",
      anonymousId: "",
      userId: "",
      address: "",
    });
    event.tie = String(dedupe_key % 1048576n).padStart(7, "0");
  }
}

interface Asked {
  readonly events: readonly OracleEvent[];
  readonly limits: readonly ProjectLimit[];
  readonly nowMs: number;
  readonly zone: string | undefined;
}

async function compareOne(
  run: RunReport,
  { events, limits, nowMs, zone }: Asked,
  ask: Ask,
  where: string,
): Promise<void> {
  const owner = {
    workspaceId: "w",
    projects: ask.projects.map((id) => ({
      id,
      excludeBots: ask.excludeBots?.includes(id) ?? false,
      retentionDays: limits.find(({ projectId }) => projectId === id)?.days ?? null,
    })),
  };
  const query = zone === undefined ? ask.query : { ...ask.query, timezone: zone };
  const about = `${where}: ${ask.report} of ${ask.projects.join(", ")}, ${JSON.stringify(query)}`;
  const question = questionOf(ask.report, query, nowMs);
  const given = await run(ask.report, owner, question, new AbortController().signal).catch((cause) => {
    throw new Error(about, { cause });
  });
  // Retention removes UTC days; of those of the zone that are left in part none before the limit is shown.
  const isShown = (event: OracleEvent) => isKept(event, limits, nowMs, zoneDay);
  const expected = inZone(zone ?? "UTC", () => ask.expect(events.filter(isShown), nowMs));
  assert.equal(given.timezone, zone ?? "UTC", about);
  // The first difference says more than two lists of a thousand rows.
  for (const [at, row] of expected.rows.entries()) assert.deepEqual(given.data[at], row, `${about}, row ${at}`);
  assert.deepEqual(given.data, expected.rows, about);
  assert.deepEqual(
    given.meta.map(({ name }) => name),
    expected.columns,
    about,
  );
  for (const { name, type } of given.meta) {
    const compared = name.replace(/_(previous|current)$/, "");
    assert.equal(type, ask.types?.[name] ?? TYPES[name] ?? TYPES[compared] ?? "String", about);
  }
  assert.equal(given.rows, expected.rows.length, about);
  assert.equal(given.rows_before_limit_at_least, expected.rowsBeforeLimit, about);
}
