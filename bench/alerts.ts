/**
 * `npm run bench:alerts`: how long a match takes from its 200 to its target on an idle service, and what 200 alerts leave
 * of ingest at half load.
 *
 *   --seconds N   length of each ingest run (8)
 *   --matches N   matches of the idle part (100)
 *   --rounds N    rounds of the comparison (2)
 *   --only PART   idle or ingest
 */
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startTarget } from "../test/support/targets.ts";
import { type BenchService, startBenchService } from "./bench-service.ts";
import { startLoad } from "./load-process.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { median } from "./statistics.ts";
import { sustain } from "./sustain.ts";
import { line, type Verdict } from "./verdict.ts";

const GIVE_UP_MS = 900_000;
const ALERTS = 200;
/** Fewer than a storm has items. */
const PER_ALERT = 20;
const BATCH = 100;
const INGEST = { form: "object", connections: 32 } as const;
const SETTINGS = { SEXTANT_EVENTS_RATE_PER_SECOND: "1000000", SEXTANT_EVENTS_RATE_BURST: "1000000" };

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "8" },
    matches: { type: "string", default: "100" },
    rounds: { type: "string", default: "2" },
    only: { type: "string", default: "" },
  },
});
const [seconds, matches, rounds] = [Number(values.seconds), Number(values.matches), Number(values.rounds)];

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  print(`${availableParallelism()} cores, the load generator included`);
  return [
    ...(values.only === "ingest" ? [] : await measureIdle(onEnd)),
    ...(values.only === "idle" ? [] : await measureIngest(onEnd)),
  ];
}

async function makeAlert({ credentials }: BenchService, filter: object, url: string): Promise<void> {
  const answer = await fetch(`${credentials.apiUrl}/v0/alerts`, {
    method: "POST",
    headers: { authorization: `Bearer ${credentials.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      name: "Alert",
      trigger_type: "event",
      trigger_filters: [filter],
      recipient: [{ type: "webhook", value: [url] }],
    }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
}

async function measureIdle(onEnd: OnEnd): Promise<Verdict[]> {
  const service = await startBenchService(SETTINGS, onEnd);
  const arrived = new Map<string, number>();
  const target = await startTarget((response, { body }) => {
    const { data } = JSON.parse(body) as { data: { message_id: string }[] };
    arrived.set(data[0]?.message_id ?? "", performance.now());
    response.writeHead(200).end();
  });
  onEnd(target.close);
  const alerts = Math.ceil(matches / PER_ALERT);
  for (let nth = 0; nth < alerts; nth += 1)
    await makeAlert(service, { field: "event", value: `buy ${nth}` }, `${target.url}/hook`);
  const waits: number[] = [];
  const { eventsUrl, writeKey } = service.credentials;
  for (let nth = 0; nth < matches; nth += 1) {
    const message_id = `m${nth}`;
    const event = { type: "track", channel: "web", version: "0", event: `buy ${nth % alerts}`, message_id };
    const answer = await fetch(`${eventsUrl}/v0/raw_events`, {
      method: "POST",
      headers: { authorization: `Bearer ${writeKey}`, "content-type": "application/json" },
      body: JSON.stringify([{ ...event, anonymous_id: "v" }]),
    });
    if (answer.status !== 200) throw new Error(await answer.text());
    const sentAt = performance.now();
    while (!arrived.has(message_id) && performance.now() - sentAt < 30_000) await delay(5);
    waits.push(((arrived.get(message_id) ?? Number.POSITIVE_INFINITY) - sentAt) / 1000);
  }
  const sorted = waits.toSorted((a, b) => a - b);
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
  print(`${matches} matches on an idle service: p50 ${median(waits).toFixed(2)} s, p99 ${p99.toFixed(2)} s`);
  await service.process.kill("SIGTERM");
  return [line("200 of an event to its arrival at the target, idle, p99", p99, 2, " s", { atMost: 3 })];
}

/** Most alerts want one name; a tenth looks for a part of it in every event. None of them matches. */
async function measureIngest(onEnd: OnEnd): Promise<Verdict[]> {
  const service = await startBenchService(SETTINGS, onEnd);
  const load = await startLoad();
  onEnd(load.close);
  await sustain(load, service, { ...INGEST, seconds: Math.min(3, seconds), window: 60_000 });
  const full = await sustain(load, service, { ...INGEST, seconds, window: 60_000 });
  const perSecond = Math.max(1, Math.floor(full.storedPerSecond / 2 / BATCH));
  const run = () => sustain(load, service, { ...INGEST, seconds, perSecond });
  const alone = [];
  for (let round = 0; round < rounds; round += 1) alone.push(await run());
  for (let nth = 0; nth < ALERTS; nth += 1) {
    const filter =
      nth % 10 === 0 ? { field: "event", op: "contains", value: `#${nth}` } : { field: "event", value: `buy ${nth}` };
    await makeAlert(service, filter, "http://127.0.0.1:9/hook");
  }
  const beside = [];
  for (let round = 0; round < rounds; round += 1) beside.push(await run());
  const rate = (runs: typeof alone) => median(runs.map(({ storedPerSecond }) => storedPerSecond));
  const cpu = (runs: typeof alone) =>
    median(runs.map(({ cpuSeconds, load: { okEvents } }) => (cpuSeconds * 1e6) / okEvents));
  print(
    `full ${Math.round(full.storedPerSecond)} events/s; at half: ${Math.round(rate(alone))} without alerts, ` +
      `${Math.round(rate(beside))} with ${ALERTS}; processor ${cpu(alone).toFixed(0)} and ${cpu(beside).toFixed(0)} us an event`,
  );
  return [
    line(`ingest at half load with ${ALERTS} alerts / without`, rate(beside) / rate(alone), 2, "", { atLeast: 0.9 }),
    line("processor time an event, with / without", cpu(beside) / cpu(alone), 2, "", { atMost: 1.5 }),
  ];
}

await runBench(measure, GIVE_UP_MS);
