/**
 * `npm run bench:sizing`: measures what an event costs here and now, and computes what 1,000 to 1,000,000 events a second
 * would need. The placement of projects on shards is simulated.
 *
 *   --seconds N     length of the measurement (10)
 *   --projects N    projects whose sizes follow Zipf's law (10,000), with the exponent 1.1
 *   --seed N        of the simulation (1)
 *
 * ClickHouse is not measured: its two numbers are of an earlier run against a server (docs/scale.md).
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { dataPaths } from "../src/installation/data-dir.ts";
import { makeTemplate, SHAPES } from "./bodies.ts";
import { startLoad } from "./load-process.ts";
import { fileOf, measureDisk } from "./query-load.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { startSextant } from "./sextant.ts";
import { type EventCosts, fullestShard, largestShare, type Needs, needsOf } from "./sizing-model.ts";
import { sustain } from "./sustain.ts";
import type { Verdict } from "./verdict.ts";

const RATES = [1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000];
/** A node accepts on one thread and transforms on another. */
const MACHINES = { ingestCores: 2, clickhouseCores: 16, replicas: 2 } as const;
const CLICKHOUSE = { clickhouseUs: 28, clickhouseBytes: 108 } as const;
const VISITORS = 200_000;
const EXPONENT = 1.1;
const PLACEMENTS = 51;
const GIVE_UP_MS = 300_000;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    projects: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
  },
});
const projects = Number(values.projects);
const seed = Number(values.seed);

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const costs = await measureCosts(onEnd);
  print(
    `${availableParallelism()} cores, an event of real traffic: ${costs.serviceUs.toFixed(0)} us to accept and transform, ` +
      `${costs.duckdbUs.toFixed(0)} us to store, ${costs.sentBytes.toFixed(0)} bytes sent, ` +
      `${costs.duckdbBytes.toFixed(0)} bytes stored`,
  );
  const random = createRandom(seed);
  const crowded = new Map<number, number>();
  const crowding = (shards: number) => {
    const known = crowded.get(shards) ?? fullestShard(shards, projects, EXPONENT, PLACEMENTS, random);
    crowded.set(shards, known);
    return known;
  };
  print(
    `ClickHouse, measured earlier: ${CLICKHOUSE.clickhouseUs} us and ${CLICKHOUSE.clickhouseBytes} bytes an event; ` +
      `shards of ${MACHINES.clickhouseCores} cores, ${MACHINES.replicas} replicas; seed ${seed}\n`,
  );
  print(HEAD);
  for (const rate of RATES) print(rowOf(needsOf(rate, costs, MACHINES, crowding), crowding));
  const share = largestShare(projects, EXPONENT);
  const shardRate = (MACHINES.clickhouseCores * 1e6) / CLICKHOUSE.clickhouseUs / 2;
  print(
    `\nA project is on one shard. Of ${projects.toLocaleString("en")} projects the largest has ` +
      `${(share * 100).toFixed(1)} % of the events, and a shard stores ${count(shardRate)} events/s at half load: ` +
      `beyond ${count(shardRate / share)} events/s in all, that project needs a larger shard. Shards by visitor ` +
      "would lift that: visitors would be counted on each shard and added, and sessions stay whole. " +
      "On one machine the limit is the one writer of DuckDB; ClickHouse lifts it.",
  );
  return [];
}

async function measureCosts(onEnd: OnEnd): Promise<EventCosts> {
  const load = await startLoad();
  onEnd(load.close);
  const sextant = await startSextant(onEnd);
  const plan = { form: "object", connections: 64, window: 60_000, visitors: VISITORS } as const;
  await sustain(load, sextant, { ...plan, seconds: 3 });
  const run = await sustain(load, sextant, { ...plan, seconds: Number(values.seconds) });
  const events = run.load.okEvents;
  await sextant.stopAndCount();
  const disk = await measureDisk(fileOf(dataPaths(sextant.dataDir).engine));
  const body = makeTemplate({ shape: "batch", form: "object", port: sextant.port, writeKey: "" }, 0).bytes.length;
  return {
    serviceUs: ((run.cpuSeconds - run.engineSeconds) * 1e6) / events,
    duckdbUs: (run.engineSeconds * 1e6) / events,
    sentBytes: body / SHAPES.batch,
    duckdbBytes: disk.bytesPerEvent,
    ...CLICKHOUSE,
  };
}

const HEAD = `| Events/s at the peak | One machine | Ingest nodes of ${MACHINES.ingestCores} cores | Shards (fullest / mean) | Network | Disk a month |
|---|---|---|---|---|---|`;

function rowOf(needs: Needs, crowding: (shards: number) => number): string {
  const { oneMachineCores, shards } = needs;
  const isOne = oneMachineCores !== undefined;
  const cells = [
    count(needs.eventsPerSecond),
    isOne ? `${oneMachineCores} cores` : "no: one writer stores less",
    isOne ? "-" : String(needs.ingestNodes),
    isOne ? "-" : `${shards} (${crowding(shards).toFixed(2)})`,
    `${count(needs.networkMbit)} Mbit/s`,
    needs.diskGb < 1_000 ? `${count(needs.diskGb)} GB` : `${(needs.diskGb / 1_000).toFixed(1)} TB`,
  ];
  return `| ${cells.join(" | ")} |`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** The same numbers for the same seed. */
function createRandom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

await runBench(measure, GIVE_UP_MS);
