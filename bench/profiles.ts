/**
 * `npm run bench:profiles`: searches of the wallets of one project, the first page of 100, with one condition each,
 * while its last day is dirty, as it always is.
 *
 *   --filled      profiles of 1,170,000 wallets are filled in by SQL, with half a day of dirty events: minutes instead of
 *                 hours. Without it all events are loaded, and the profiles derived
 *   --events N    number of events (20,000,000), over 90 days up to now
 *   --wallets N   with --filled (1,170,000)
 *   --full        continues with four times as many, to measure growth
 *
 * Every question is asked while nothing is written, and again with a new event before each round. The bars apply to 20
 * million events and to the first of the two. Times depend on the machine and its other load: so each line also has the
 * processor time, and how many bare scans of the column of revenue would have taken as much in the same run.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type LocalEngine, openLocalEngine } from "../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../src/engines/duckdb/limits.ts";
import { countProfiles, type ProfileSearch, selectProfiles } from "../src/query/profiles/select-profiles.ts";
import { fillProfiles } from "./profiles-fill.ts";
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
  options: {
    events: { type: "string", default: "20000000" },
    wallets: { type: "string", default: "1170000" },
    filled: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
  },
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
  "revenue, first seen first": {
    where: where("p.revenue > {least:Float64}", { least: 500 }),
    order: ["p.first_seen_ms ASC"],
    limit: 100,
  },
};

type Medians = Readonly<Record<string, number>>;

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const dir = mkdtempSync(join(tmpdir(), "bench-profiles-"));
  onEnd(() => rmSync(dir, { recursive: true, force: true }));
  const [events, wallets] = [Number(options.events), Number(options.wallets)];
  const first = await runPhase(dir, { load: 1, events, wallets });
  const more = { load: 2, events: events * (GROWTH - 1), wallets: wallets * (GROWTH - 1) };
  const grown = options.full ? await runPhase(dir, more) : undefined;
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

interface Load {
  readonly load: number;
  readonly events: number;
  readonly wallets: number;
}

async function runPhase(dir: string, load: Load): Promise<Medians> {
  const path = fileOf(dir);
  const created = await openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: Date.now });
  await created.schema.migrate();
  await created.close();
  const usedBefore = process.cpuUsage();
  if (options.filled) await fillProfiles(path, { project: PROJECT, ...load });
  else {
    await loadEvents(path, { ...load, projects: [PROJECT] }, () => undefined);
    await materializeAll(path, [PROJECT], () => undefined);
  }
  const { user, system } = process.cpuUsage(usedBefore);
  print(
    `${options.filled ? "filled in what remains of" : "loaded"} ${load.events.toLocaleString("en")} events of ${DAYS} days ` +
      `in ${((user + system) / 1e6).toFixed(0)} s of processor time`,
  );
  const engine = await openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: Date.now });
  try {
    return await askAll(engine);
  } finally {
    await engine.close();
  }
}

const FLOOR = "SELECT count() AS n FROM profile_sums WHERE project_id = {project:String} AND revenue > 500000000000";
const TODAY = `SELECT count(DISTINCT e.address) AS n FROM events AS e, rollup_state AS r
WHERE e.project_id = {project:String} AND r.project_id = e.project_id AND e.day > r.clean_through AND e.address != ''`;

async function askAll(engine: LocalEngine): Promise<Medians> {
  const params = { project: PROJECT };
  const wallets = await countProfiles(engine, PROJECT, {}, signal);
  const [today] = (await engine.select<{ n: number }>(TODAY, { params, signal })).rows;
  print(`${wallets.toLocaleString("en")} wallets, ${today?.n.toLocaleString("en")} of them on dirty days`);
  const floor = await repeat(() => engine.select(FLOOR, { params, signal }));
  print(`  ${"bare scan of revenue".padEnd(36)} ${shown(floor)}`);
  const ask = async (name: string, work: () => Promise<unknown>) => {
    const quiet = await repeat(work);
    const busy = await repeat(work, () => storeEvent(engine));
    const scans = (quiet.cpuMs / floor.cpuMs).toFixed(1);
    print(`  ${name.padEnd(36)} ${shown(quiet)}, ${scans} scans; after an event ${shown(busy)}`);
    return quiet.ms;
  };
  const medians: Record<string, number> = {};
  for (const [name, search] of Object.entries(SEARCHES))
    medians[name] = await ask(name, () => selectProfiles(engine, PROJECT, search, signal));
  for (const [name, search] of Object.entries(SEARCHES).slice(0, 1))
    await ask(`number of matches: ${name}`, () => countProfiles(engine, PROJECT, search, signal));
  const addresses = await findSome(engine);
  for (const [name, address] of Object.entries(addresses))
    await ask(name, () => selectProfiles(engine, PROJECT, { addresses: [address], limit: 1 }, signal));
  return medians;
}

/** A wallet of today, and one that was not seen for long. */
async function findSome(engine: LocalEngine): Promise<Readonly<Record<string, string>>> {
  const [latest] = await selectProfiles(engine, PROJECT, { order: LATEST, limit: 1 }, signal);
  const [oldest] = await selectProfiles(engine, PROJECT, { order: ["p.last_seen_ms"], limit: 1 }, signal);
  return { "one wallet of today": latest?.address ?? "", "one wallet of long ago": oldest?.address ?? "" };
}

let stored = 0;

/** Another one of the first wallet of today. */
async function storeEvent(engine: LocalEngine): Promise<void> {
  stored += 1;
  await engine.database.write((connection) =>
    connection.run(
      `INSERT INTO events SELECT * REPLACE (dedupe_key + ${stored} AS dedupe_key) FROM events WHERE address != '' LIMIT 1`,
    ),
  );
}

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
}

const shown = ({ ms, cpuMs }: Measured) =>
  `${ms.toFixed(0).padStart(5)} ms, processor ${cpuMs.toFixed(0).padStart(5)} ms`;

/** Medians. The engine runs in this process. */
async function repeat(work: () => Promise<unknown>, before?: () => Promise<void>): Promise<Measured> {
  const took: number[] = [];
  const used: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await before?.();
    const startedAt = performance.now();
    const usedBefore = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(usedBefore);
    took.push(performance.now() - startedAt);
    used.push((user + system) / 1000);
  }
  return { ms: median(took), cpuMs: median(used) };
}

await runBench(measure, GIVE_UP_MS);
