/**
 * `npm run bench:memory`: from the start to ready, the memory of the idle service, and what serving the dashboard adds:
 * every file of it is asked for several times, as browsers do, and the service is left alone again.
 */
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startBenchService } from "./bench-service.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { median } from "./statistics.ts";
import { readTogetherMb } from "./usage.ts";
import { line, type Verdict } from "./verdict.ts";

const DIST = resolve(import.meta.dirname, "../dashboard/dist");
const TIMES = 5;
const STARTS = 3;
/** Garbage collection and the engine's start are over by then. */
const IDLE_MS = 20_000;
const GIVE_UP_MS = 300_000;

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const starts: number[] = [];
  for (let i = 1; i < STARTS; i += 1) {
    const { service, seconds } = await start(onEnd);
    starts.push(seconds);
    await service.process.kill("SIGTERM");
  }
  const { service, seconds } = await start(onEnd);
  starts.push(seconds);
  const without = await readIdle(service.pid);
  const { apiUrl } = service.credentials;
  const names = readdirSync(DIST, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name));
  const wanted = names.filter((name) => !/\.(br|gz)$|^index\.html$/.test(name));
  let bytes = 0;
  for (let time = 0; time < TIMES; time += 1) {
    for (const path of ["app", ...wanted]) {
      const answer = await fetch(`${apiUrl}/${path}`);
      if (answer.status !== 200) throw new Error(`/${path} was answered ${answer.status}`);
      bytes += (await answer.arrayBuffer()).byteLength;
    }
  }
  const served = await readIdle(service.pid);
  print(`idle ${without.toFixed(0)} MB, ${served.toFixed(0)} MB after ${(bytes / 1e6).toFixed(0)} MB of the dashboard`);
  return [
    line("start to ready, median of three", median(starts), 2, " s", { atMost: 2 }),
    line("memory of the idle service with its engine", without, 0, " MB", { atMost: 250 }),
    line("more after serving the dashboard", served - without, 1, " MB", { atMost: 10 }),
  ];
}

async function start(onEnd: OnEnd) {
  const startedAt = performance.now();
  const service = await startBenchService({}, onEnd);
  return { service, seconds: (performance.now() - startedAt) / 1000 };
}

async function readIdle(pid: number): Promise<number> {
  await delay(IDLE_MS);
  return readTogetherMb(pid);
}

await runBench(measure, GIVE_UP_MS);
