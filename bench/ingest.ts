/**
 * `npm run bench:ingest`: the cost of a durable 200, as ratios to a bare server measured in the same run.
 *
 *   --seconds N   length of a turn at full load and of the run at half load (10)
 *   --rounds N    rounds of each target in the comparison, and turns at full load (5)
 *   --form F      context and properties as "object", as browsers send them, or as "text", the contract's form (object)
 *   --full        60 s at half load, and a memory run of 5 minutes
 *
 * Full load comes twice: "narrow" with the few visitors of the other runs, and "wide" with as many as real traffic has,
 * so that nearly every event belongs to another session. Each turn also measures the bare server: the machine is another
 * one a minute later.
 *
 * Absolute numbers depend on the machine and its other load; the bars apply to the ratios at the end.
 */
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { dataPaths } from "../src/installation/data-dir.ts";
import { FORMS, type Form, SHAPES } from "./bodies.ts";
import { type Comparison, compare, describe, ratioOf, startBare } from "./compare.ts";
import { measureIdle } from "./idle.ts";
import type { Load } from "./load-messages.ts";
import { startLoad } from "./load-process.ts";
import { type Disk, fileOf, measureDisk } from "./query-load.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { startSextant } from "./sextant.ts";
import { median } from "./statistics.ts";
import { type Sustained, sustain } from "./sustain.ts";
import { line, type Verdict } from "./verdict.ts";

const CONNECTIONS = 256;
const ROUND_SECONDS = 3;
const MEMORY_SECONDS = 300;
const LONG_SECONDS = 60;
const IDLE_EVENTS = 10;
/** Three seconds at the required rate: enough that the writer never waits, and below the 5 s limit of event age. */
const WINDOW_EVENTS = 60_000;
/** Ends a hanging run. */
const GIVE_UP_MS = { short: 600_000, full: 1_500_000 } as const;
/** As many as bench/storing.ts has. */
const WIDE_VISITORS = 200_000;

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string" },
    rounds: { type: "string" },
    form: { type: "string", default: "object" },
    full: { type: "boolean", default: false },
  },
});
const seconds = readNumber(options.seconds, 10);
const rounds = readNumber(options.rounds, 5);
const form = readForm(options.form);

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const load = await startLoad();
  onEnd(load.close);
  const [bare, parse] = [await startBare("bare"), await startBare("parse")];
  onEnd(bare.close);
  onEnd(parse.close);
  const sextant = await startSextant(onEnd);
  const ports = { bare: bare.port, parse: parse.port, sextant: sextant.port };
  print(
    `${availableParallelism()} cores, load generator included; ${CONNECTIONS} connections; data on ${diskOf(tmpdir())}`,
  );

  const single = await runComparison("single");
  await runComparison("batch");
  bare.close();

  const turns: Turn[] = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    const bodies = { shape: "batch", form, connections: CONNECTIONS, writeKey: sextant.credentials.writeKey } as const;
    const floor = await load.run({ ...bodies, port: ports.parse, seconds: ROUND_SECONDS });
    const plan = { seconds, window: WINDOW_EVENTS };
    const narrow = await runSustained(`full load, narrow, turn ${turn + 1}`, plan);
    const wide = await runSustained(`full load, wide, turn ${turn + 1}`, { ...plan, visitors: WIDE_VISITORS });
    turns.push({ parsePerSecond: floor.okPerSecond * SHAPES.batch, narrow, wide });
  }
  parse.close();
  const stored = median(turns.map(({ narrow }) => narrow.storedPerSecond));
  const half = await runSustained("half of that", {
    seconds: options.full ? LONG_SECONDS : seconds,
    perSecond: stored / SHAPES.batch / 2,
  });
  const idle = await measureIdle(sextant, form, IDLE_EVENTS);
  print(
    "\nidle: one event at a time, send to stored: " +
      `p50 ${median(idle).toFixed(3)} s, max ${Math.max(...idle).toFixed(3)} s`,
  );
  const memory = options.full
    ? await runSustained("memory, full load", { seconds: MEMORY_SECONDS, window: WINDOW_EVENTS })
    : undefined;

  const { accepted } = await sextant.waitUntilStored();
  const found = await sextant.stopAndCount();
  const lost = accepted - found.distinct;
  print(`\nacknowledged ${accepted.toLocaleString("en")}, in the warehouse ${found.distinct.toLocaleString("en")}`);
  const disk = await measureDisk(fileOf(dataPaths(sextant.dataDir).engine));
  print(describeDisk(disk));
  return judge({ single, turns, half, memory, idleSeconds: Math.max(...idle), lost, disk });

  async function runComparison(shape: "single" | "batch"): Promise<Comparison> {
    const plan = { shape, form, rounds, seconds: ROUND_SECONDS, connections: CONNECTIONS };
    const comparison = await compare(plan, load, ports, sextant);
    print(
      `\n${shape === "single" ? "single events" : "batches of 100"} (median of ${rounds} rounds of ${ROUND_SECONDS} s)`,
    );
    print(describe(comparison, shape).join("\n"));
    return comparison;
  }

  async function runSustained(name: string, plan: Pick<Load, "seconds" | "perSecond" | "window" | "visitors">) {
    const result = await sustain(load, sextant, { form, connections: CONNECTIONS, ...plan });
    print(`\n${name} for ${plan.seconds} s\n${describeSustained(result)}`);
    return result;
  }
}

function describeSustained({ load, fresh, lag, rss, ...run }: Sustained): string {
  const failures = JSON.stringify(load.failures);
  return [
    `  accepted ${count(load.okPerSecond * SHAPES.batch)} events/s, ` +
      `accepted and stored ${count(run.storedPerSecond)} events/s`,
    `  durable 200: p50 ${load.p50Ms.toFixed(1)} ms, p99 ${load.p99Ms.toFixed(1)} ms, ` +
      `p99.9 ${load.p999Ms.toFixed(1)} ms`,
    `  freshness by the service: p50 <= ${fresh.p50} s, p99 <= ${fresh.p99} s; ` +
      `by the client, send to stored: p50 ${lag.p50.toFixed(2)} s, p99 ${lag.p99.toFixed(2)} s`,
    `  memory of service and engine: peak ${Math.round(rss.peakMb)} MB (service alone ${Math.round(rss.servicePeakMb)}), ` +
      `mean ${Math.round(rss.meanMb)} MB, slope ${rss.slopeMbPerMinute.toFixed(0)} MB/min`,
    `  processor: service and engine ${run.cpuSeconds.toFixed(1)} s, ` +
      `load generator ${load.cpuSeconds.toFixed(1)} s, in ${run.seconds.toFixed(1)} s: ` +
      `${cpuOf({ load, ...run }).toFixed(0)} us an event`,
    ...(failures === "{}" && run.retries === 0 ? [] : [`  FAILED ${failures}, retried inserts ${run.retries}`]),
  ].join("\n");
}

/** Microseconds of service and engine for an event. */
function cpuOf({ cpuSeconds, load }: Pick<Sustained, "cpuSeconds" | "load">): number {
  return (cpuSeconds * 1e6) / load.okEvents;
}

function describeDisk({ events, bytesPerEvent, tables }: Disk): string {
  const each = tables.map(({ table, bytes }) => `${table} ${(bytes / events).toFixed(0)}`).join(", ");
  return `disk: ${bytesPerEvent.toFixed(0)} bytes an event (${each})`;
}

/** The same minute of the machine. */
interface Turn {
  /** Events that the bare server with JSON.parse reads. */
  parsePerSecond: number;
  narrow: Sustained;
  wide: Sustained;
}

interface Measured {
  single: Comparison;
  turns: readonly Turn[];
  half: Sustained;
  /** Only in a full run. */
  memory: Sustained | undefined;
  idleSeconds: number;
  lost: number;
  disk: Disk;
}

function judge({ single, turns, half, memory, idleSeconds, lost, disk }: Measured): Verdict[] {
  const of = (value: (turn: Turn) => number) => median(turns.map(value));
  return [
    line("single events: requests/s, Sextant / bare", ratioOf(single, "sextant", "bare"), 2, "", { atLeast: 0.55 }),
    line(
      "narrow: events/s accepted and stored",
      of(({ narrow }) => narrow.storedPerSecond),
      0,
      "",
      {
        atLeast: 25_000,
      },
    ),
    line(
      "narrow: processor time an event",
      of(({ narrow }) => cpuOf(narrow)),
      0,
      " us",
      { atMost: 55 },
    ),
    line(
      "narrow: accepted and stored / bare with JSON.parse",
      of(({ narrow, parsePerSecond }) => narrow.storedPerSecond / parsePerSecond),
      2,
      "",
      { atLeast: 0.15 },
    ),
    line(
      "wide: events/s accepted and stored",
      of(({ wide }) => wide.storedPerSecond),
      0,
      "",
      { atLeast: 18_000 },
    ),
    line(
      "wide: processor time an event / narrow",
      of(({ wide, narrow }) => cpuOf(wide) / cpuOf(narrow)),
      2,
      "",
      {
        atMost: 25 / 18,
      },
    ),
    line(
      "freshness p99 at full load, by the client",
      of(({ narrow }) => narrow.lag.p99),
      2,
      " s",
      { atMost: 3 },
    ),
    line("p99 of a durable 200 at half of that load", half.load.p99Ms, 1, " ms", { atMost: 50 }),
    line("freshness p99 at half load, by the client", half.lag.p99, 2, " s", { atMost: 1.5 }),
    line("freshness when idle, worst of 10", idleSeconds, 3, " s", { atMost: 0.5 }),
    line(
      "memory of service and engine at full load, peak",
      memory?.rss.peakMb ?? Math.max(...turns.flatMap(({ narrow, wide }) => [narrow.rss.peakMb, wide.rss.peakMb])),
      0,
      " MB",
      { atMost: 1_000 },
    ),
    ...(memory === undefined ? [] : [growthOf(memory)]),
    line("disk, bytes an event", disk.bytesPerEvent, 0, "", { atMost: 130 }),
    line("acknowledged events that are not in the warehouse", lost, 0, "", { exactly: 0 }),
  ];
}

/** In five minutes. Less than a twentieth of the total is noise of merges and garbage collection. */
function growthOf({ rss }: Sustained): Verdict {
  const growthMb = (rss.slopeMbPerMinute * MEMORY_SECONDS) / 60;
  return line("its growth in 5 minutes", growthMb, 0, " MB", { atMost: Math.round(rss.meanMb / 20) });
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function diskOf(dir: string): string {
  if (!existsSync("/proc/mounts")) return `${dir} (unknown file system: no /proc)`;
  const mounts = readFileSync("/proc/mounts", "utf8")
    .trim()
    .split("\n")
    .map((text) => text.split(" "));
  const holding = mounts.filter(([, at = ""]) => dir === at || dir.startsWith(at === "/" ? at : `${at}/`));
  const [, at, type] = holding.sort((a, b) => (a[1]?.length ?? 0) - (b[1]?.length ?? 0)).at(-1) ?? [];
  return `${dir} (${type} on ${at})`;
}

function readNumber(text: string | undefined, fallback: number): number {
  const number = Number(text ?? fallback);
  if (!Number.isFinite(number) || number < 1 || number > 600)
    throw new Error("--seconds and --rounds go from 1 to 600");
  return number;
}

function readForm(text: string): Form {
  if (!Object.hasOwn(FORMS, text)) throw new Error(`--form is one of ${Object.keys(FORMS).join(", ")}`);
  return text as Form;
}

await runBench(measure, options.full ? GIVE_UP_MS.full : GIVE_UP_MS.short);
