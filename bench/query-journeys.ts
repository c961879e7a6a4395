/**
 * What a dashboard asks of one project: the reports that follow people from event to event, and eight reports at once.
 */

import { DAY_MS, dayOf } from "../src/lib/time.ts";
import { type Asked, fetchAnswer } from "./query-ask.ts";
import type { QueryService } from "./query-service.ts";
import { median } from "./statistics.ts";
import { watchMemory } from "./usage.ts";

const ASKS = 9;
const DAYS = 90;
const first = (days: number) => dayOf(Date.now() - (days - 1) * DAY_MS);

const STEPS = [
  { type: "event", event: "page", name: "visit" },
  { type: "track", event: "Swap Completed", name: "swap" },
  { type: "event", event: "connect", name: "connect" },
  { type: "transaction", name: "transaction" },
];

const JOURNEYS = {
  funnel: { date_from: first(DAYS), date_to: dayOf(Date.now()), steps: JSON.stringify(STEPS), window_seconds: "86400" },
  retention: { limit: "12", id_type: "anonymous_id" },
  flow: {
    date_from: first(DAYS),
    date_to: dayOf(Date.now()),
    start_step: JSON.stringify({ type: "event", event: "page", resolved_event: "/" }),
    max_steps: "4",
  },
} as const;

/** The cards of the overview, from a day on. */
const cardsFrom = (dateFrom: string): readonly (readonly [string, Readonly<Record<string, string>>])[] =>
  [
    ["kpis", { include_previous_period: "true" }],
    ["top_sources", { metric_column: "referrer" }],
    ["top_pages", {}],
    ["top_chains", {}],
    ["top_locations", {}],
    ["top_wallets", {}],
    ["top_events", {}],
    ["revenue_overview", {}],
  ].map(([report, params]) => [report as string, { ...(params as object), date_from: dateFrom }]);
const AT_ONCE = cardsFrom(first(DAYS));

export interface Journeys {
  /** p50 in milliseconds. */
  readonly ms: Readonly<Record<keyof typeof JOURNEYS, number>>;
  /** The engine's memory while they were asked, in MB: its peak. */
  readonly peakMb: number;
}

interface Asker {
  /** Resolves with the HTTP time in milliseconds. */
  ask(report: string, params: Readonly<Record<string, string>>): Promise<number>;
  askTimed(report: string, params: Readonly<Record<string, string>>): Promise<Asked>;
}

/** Asks about one project, with a key of its own. */
export async function connectProject(service: QueryService): Promise<Asker> {
  const project = service.projects[0] ?? "";
  const { apiKey: key } = await service.command(["keys", "create", "--project", project]);
  const askTimed: Asker["askTimed"] = (report, params) => {
    const url = new URL(`/v0/${report}?${new URLSearchParams(params).toString()}`, service.credentials.apiUrl);
    return fetchAnswer(url, key);
  };
  return { askTimed, ask: async (report, params) => (await askTimed(report, params)).httpMs };
}

export async function askJourneys(service: QueryService, { ask }: Asker): Promise<Journeys> {
  const memory = watchMemory(service.pid);
  try {
    const times = { funnel: [] as number[], retention: [] as number[], flow: [] as number[] };
    for (let round = 0; round < ASKS; round += 1)
      for (const name of Object.keys(times) as (keyof typeof times)[])
        times[name].push(await ask(name, JOURNEYS[name]));
    const ms = { funnel: median(times.funnel), retention: median(times.retention), flow: median(times.flow) };
    return { ms, peakMb: memory.stop().engineMb };
  } finally {
    memory.stop();
  }
}

/** Eight reports of days that nobody has asked for, alone and at once, and the latter again. */
export async function compareUnasked({ askTimed }: Asker, rounds: number, usedSeconds: () => number) {
  let days = DAYS;
  const turn = async (ask: (cards: ReturnType<typeof cardsFrom>) => Promise<readonly Asked[]>) => {
    days -= 1;
    return { cards: cardsFrom(first(days)), asked: await ask(cardsFrom(first(days))) };
  };
  const found = { slowest: [] as number[], atOnce: [] as number[], again: [] as number[], beyond: [] as number[] };
  const cpu = { alone: 0, atOnce: 0 };
  const timed = async (work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    return performance.now() - startedAt;
  };
  for (let round = 0; round < rounds; round += 1) {
    let used = usedSeconds();
    const { asked } = await turn(async (cards) => {
      const all: Asked[] = [];
      for (const [report, params] of cards) all.push(await askTimed(report, params));
      return all;
    });
    cpu.alone += usedSeconds() - used;
    found.slowest.push(Math.max(...asked.map(({ httpMs }) => httpMs)));
    found.beyond.push(...asked.map(({ httpMs, engineMs }) => httpMs - engineMs));
    used = usedSeconds();
    let cards: ReturnType<typeof cardsFrom> = [];
    const all = (these: typeof cards) => Promise.all(these.map(([report, params]) => askTimed(report, params)));
    found.atOnce.push(
      await timed(async () => {
        ({ cards } = await turn(all));
      }),
    );
    cpu.atOnce += usedSeconds() - used;
    found.again.push(await timed(() => all(cards)));
  }
  return { ...found, cpu };
}

/** The time until the last of eight reports asked at once is there, divided by the slowest of them alone. */
export async function compareAtOnce({ ask }: Asker): Promise<{ totalMs: number; slowestMs: number; slowest: string }> {
  const alone = new Map<string, number[]>();
  const totals: number[] = [];
  for (let round = 0; round < ASKS; round += 1) {
    for (const [report, params] of AT_ONCE)
      alone.set(report, [...(alone.get(report) ?? []), await ask(report, params)]);
    const startedAt = performance.now();
    await Promise.all(AT_ONCE.map(([report, params]) => ask(report, params)));
    totals.push(performance.now() - startedAt);
  }
  const [slowest = "", slowestMs = 0] =
    [...alone].map(([report, times]) => [report, median(times)] as const).sort((a, b) => b[1] - a[1])[0] ?? [];
  return { totalMs: median(totals), slowestMs, slowest };
}

/**
 * Asks the first `count` of the eight reports at once, again and again, until it is ended. Resolves with the time of
 * each round.
 */
export function askInLoop({ ask }: Asker, count: number): { end(): Promise<number[]> } {
  const times: number[] = [];
  let running = true;
  const done = (async () => {
    while (running) {
      const startedAt = performance.now();
      await Promise.all(AT_ONCE.slice(0, count).map(([report, params]) => ask(report, params)));
      times.push(performance.now() - startedAt);
    }
  })();
  // `end` awaits it; until then a rejection must not end the process.
  done.catch(() => undefined);
  return {
    async end() {
      running = false;
      await done;
      return times;
    },
  };
}
