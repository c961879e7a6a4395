/**
 * `npm run bench:profiles`: searches of the wallets of one project, the first page of 100, with one condition each,
 * while its last day is dirty, as it always is.
 *
 *   --events N    number of events (20,000,000), over 90 days up to now: about one wallet for 25 events
 *   --full        continues with four times as many events, to measure growth
 *
 * The bars apply to 20 million events. Compare only the ratios: times depend on the machine and its other load.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openLocalEngine } from "../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../src/engines/duckdb/limits.ts";
import type { AnalyticsEngine } from "../src/engines/port.ts";
import { countProfiles, type ProfileSearch, selectProfiles } from "../src/query/profiles/select-profiles.ts";
import { DAYS, fileOf, loadEvents, materializeAll } from "./query-load.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { median } from "./statistics.ts";
import { line, type Verdict } from "./verdict.ts";

const PROJECT = "bench";
const GROWTH = 4;
const ROUNDS = 15;
const GIVE_UP_MS = 4 * 3_600_000;
const { signal } = new AbortController();

const { values: options } = parseArgs({
  options: { events: { type: "string", default: "20000000" }, full: { type: "boolean", default: false } },
});

const where = (sql: string, params: Readonly<Record<string, unknown>>) => ({ sql, params });
const LATEST = ["p.last_seen_ms DESC"];

/** Each is a page as the API asks for it. */
const SEARCHES: Readonly<Record<string, ProfileSearch>> = {
  "revenue, latest first": {
    where: where("p.revenue > {least:Float64}", { least: 500 }),
    order: LATEST,
    limit: 100,
  },
  "revenue, highest first": {
    where: where("p.revenue > {least:Float64}", { least: 500 }),
    order: ["p.revenue DESC"],
    limit: 100,
  },
  "device, latest first": {
    where: where("p.device = {device:String}", { device: "mobile-ios" }),
    order: LATEST,
    limit: 100,
  },
  "first touch, latest first": {
    where: where("p.first_utm_source = {source:String}", { source: "source3" }),
    order: LATEST,
    limit: 100,
  },
};

type Medians = Readonly<Record<string, number>>;

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const dir = mkdtempSync(join(tmpdir(), "bench-profiles-"));
  onEnd(() => rmSync(dir, { recursive: true, force: true }));
  const path = fileOf(dir);
  const limits = { ...DEFAULT_LIMITS, queryMs: 600_000 };
  const created = await openLocalEngine({ path, limits, nowMs: Date.now });
  await created.schema.migrate();
  await created.close();
  const events = Number(options.events);
  const first = await runPhase(path, 1, events);
  const grown = options.full ? await runPhase(path, 2, events * (GROWTH - 1)) : undefined;
  const undecided = grown ? undefined : "(decided by --full)";
  return Object.keys(SEARCHES).flatMap((name) => [
    line(`p50: ${name}`, first[name] ?? Number.NaN, 0, " ms", { atMost: 150 }),
    {
      ...line(`${GROWTH} times the events: ${name}`, (grown?.[name] ?? Number.NaN) / (first[name] ?? 0), 2, "", {
        atMost: 1.5,
      }),
      undecided,
    },
  ]);
}

async function runPhase(path: string, load: number, events: number): Promise<Medians> {
  await loadEvents(path, { load, events, projects: [PROJECT] }, () => undefined);
  const usedBefore = process.cpuUsage();
  const partitions = await materializeAll(path, [PROJECT], () => undefined);
  const { user, system } = process.cpuUsage(usedBefore);
  print(
    `loaded ${events.toLocaleString("en")} events of ${DAYS} days; ${partitions} partitions, ` +
      `${((user + system) / 1e6).toFixed(0)} s of processor time to derive them`,
  );
  const engine = await openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: Date.now });
  try {
    const wallets = await countProfiles(engine, [PROJECT], {}, signal);
    print(`${wallets.toLocaleString("en")} wallets`);
    const medians: Record<string, number> = {};
    for (const [name, search] of Object.entries(SEARCHES)) medians[name] = await askFor(engine, name, search);
    const [any] = await selectProfiles(engine, [PROJECT], { order: LATEST, limit: 1 }, signal);
    await askFor(engine, "one wallet", { addresses: [any?.address ?? ""], limit: 1 });
    return medians;
  } finally {
    await engine.close();
  }
}

async function askFor(engine: AnalyticsEngine, name: string, search: ProfileSearch): Promise<number> {
  const took: number[] = [];
  let rows = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    rows = (await selectProfiles(engine, [PROJECT], search, signal)).length;
    took.push(performance.now() - startedAt);
  }
  print(`  ${name.padEnd(28)} ${median(took).toFixed(0).padStart(6)} ms, ${rows} rows`);
  return median(took);
}

await runBench(measure, GIVE_UP_MS);
