/**
 * One turn of bench/rebuild.ts: stores events of many partitions by the code of a checkout, in a file of its own, then
 * derives sessions and rollups again as `sextant rebuild` and the worker do. Prints what both took. The clock of the engine
 * goes with the events, so that they are stored as events of a running day are.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Registry } from "prom-client";
import { makeEvent } from "./bodies.ts";

const DAYS = 90;
const PROJECTS = ["one", "two", "three", "four", "five"] as const;
const PARTITIONS = DAYS * PROJECTS.length;
const EVENTS_A_SESSION = 5;
/** Visitors of a project for each of its visitors of a day: a visitor comes on every fifth day. */
const VISITORS_A_DAYS_VISITORS = 5;
/** About as many as a batch of the log has at full load. */
const RECORDS_A_BATCH = 262;
const EVENTS_A_RECORD = 100;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse("2026-01-01");

const [checkout = "", wanted = ""] = process.argv.slice(2);
const of = async <T>(path: string) => (await import(pathToFileURL(resolve(checkout, path)).href)) as T;
const { openLocalEngine } = await of<typeof import("../src/engines/duckdb/engine.ts")>("src/engines/duckdb/engine.ts");
const { DEFAULT_LIMITS } = await of<typeof import("../src/engines/duckdb/limits.ts")>("src/engines/duckdb/limits.ts");
const { createTransform } = await of<typeof import("../src/warehouse/transform.ts")>("src/warehouse/transform.ts");
const { encodeRequest } = await of<typeof import("../src/ingest/logged-request.ts")>("src/ingest/logged-request.ts");
const { createMaterializePartitions } = await of<typeof import("../src/warehouse/materialize-partitions.ts")>(
  "src/warehouse/materialize-partitions.ts",
);

/** Times are in seconds; `from` and `to` are those of the clock. */
export interface Phase {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
  readonly processorSeconds: number;
  readonly peakMb: number;
}

export interface RebuildTurn {
  readonly events: number;
  readonly partitions: number;
  readonly storing: Phase;
  readonly sessions: Phase;
  readonly rollups: Phase;
}

type Engine = Awaited<ReturnType<typeof openLocalEngine>>;
let nowMs = FIRST_MS;
const { signal } = new AbortController();

const dir = mkdtempSync(join(tmpdir(), "sextant-rebuild-"));
try {
  process.stdout.write(JSON.stringify(await run(join(dir, "warehouse.duckdb"))));
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function run(path: string): Promise<RebuildTurn> {
  const engine = await openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: () => nowMs });
  await engine.schema.migrate();
  const watch = startWatch();
  const events = await storeAll(engine, watch);
  const storing = watch.take();
  nowMs = FIRST_MS + (DAYS + 1) * DAY_MS;
  await watch.measure(() => engine.maintenance.rebuild(() => undefined, signal));
  const sessions = watch.take();
  const materialize = createMaterializePartitions({
    engine,
    clock: { nowMs: () => nowMs },
    registry: new Registry(),
    listWithoutBots: async () => PROJECTS.slice(0, 2),
  });
  await watch.measure(() => materialize(signal, async () => undefined));
  const rollups = watch.take();
  const left = await engine.maintenance.listDirty(nowMs, PROJECTS.slice(0, 2));
  if (left.length > 0) throw new Error(`${left.length} partitions are still dirty`);
  await engine.close();
  return { events, partitions: PARTITIONS, storing, sessions, rollups };
}

async function storeAll(engine: Engine, watch: Watch): Promise<number> {
  const store = await engine.openBatchStore({ nodeId: "n", cursorFile: "" });
  const transform = createTransform();
  let from = { segment: 1, offset: 0 };
  await store.moveTo(from);
  let stored = 0;
  for (const payloads of makeBatches(Number(wanted))) {
    const batch = transform(payloads.map((payload, nth) => ({ payload, recordId: `${from.offset}-${nth}` })));
    const to = { segment: 1, offset: from.offset + 1 };
    await watch.measure(async () => {
      await store.store(batch, { from, to, token: String(from.offset) }, signal);
      // What a batch leaves to do for later belongs to it: a checkpoint runs before the next one.
      await store.position();
    });
    stored += batch.eventCount;
    from = to;
  }
  await watch.measure(() => store.flush(signal));
  return stored;
}

/** In the order of time: a record has events of one partition. */
function* makeBatches(eventCount: number): Generator<Buffer[]> {
  const aPartition = Math.ceil(eventCount / PARTITIONS / EVENTS_A_RECORD) * EVENTS_A_RECORD;
  const visitors = (aPartition / EVENTS_A_SESSION) * VISITORS_A_DAYS_VISITORS;
  let records: Buffer[] = [];
  let number = 0;
  for (let day = 0; day < DAYS; day += 1)
    for (let at = 0; at < aPartition; at += EVENTS_A_RECORD)
      for (const projectId of PROJECTS) {
        nowMs = FIRST_MS + day * DAY_MS + Math.floor((at / aPartition) * (DAY_MS - 3_600_000)) + 60_000;
        records.push(makeRecord(projectId, number, visitors));
        number += EVENTS_A_RECORD;
        if (records.length < RECORDS_A_BATCH) continue;
        yield records;
        records = [];
      }
  if (records.length > 0) yield records;
}

function makeRecord(projectId: string, first: number, visitors: number): Buffer {
  const time = new Date(nowMs).toISOString();
  const events = Array.from({ length: EVENTS_A_RECORD }, (_, nth) => {
    const number = first + nth;
    const visitor = mix(Math.floor(number / EVENTS_A_SESSION)) % visitors;
    return {
      ...makeEvent(number, "object"),
      anonymous_id: `6f9619ff-8b86-4d01-b42d-${visitor.toString(16).padStart(12, "0")}`,
      address: number % 3 === 0 ? `0x${visitor.toString(16).padStart(40, "a")}` : "",
      message_id: mix(number).toString(16).padStart(64, String(number)),
      original_timestamp: time,
      sent_at: time,
    };
  });
  const request = { projectId, workspaceId: "w", rules: "tracked", lines: false, idBase: "x", clean: true } as const;
  return Buffer.concat(encodeRequest({ ...request, receivedAtMs: nowMs }, Buffer.from(JSON.stringify(events))));
}

function mix(value: number): number {
  const one = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const two = Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return (two ^ (two >>> 16)) >>> 0;
}

type Watch = ReturnType<typeof startWatch>;

/** Adds up what is measured until it is taken. */
function startWatch() {
  let from = Date.now() / 1000;
  let seconds = 0;
  let processorSeconds = 0;
  let peakMb = 0;
  return {
    async measure(work: () => Promise<unknown>): Promise<void> {
      const startedMs = performance.now();
      const before = process.cpuUsage();
      const timer = setInterval(look, 20);
      await work();
      clearInterval(timer);
      look();
      const { user, system } = process.cpuUsage(before);
      seconds += (performance.now() - startedMs) / 1000;
      processorSeconds += (user + system) / 1e6;
    },
    take(): Phase {
      const to = Date.now() / 1000;
      const phase = { from, to, seconds, processorSeconds, peakMb };
      [from, seconds, processorSeconds, peakMb] = [to, 0, 0, 0];
      return phase;
    },
  };

  function look(): void {
    peakMb = Math.max(peakMb, process.memoryUsage.rss() / 1e6);
  }
}
