/**
 * `npm run bench:hostile`: what one workspace can do to another (R26). A neighbour sends an event every 10 ms and reads
 * its forms every 50 ms while another workspace sends one hostile input a second. Its p99 is compared with its p99
 * alone, in turns, and the longest block of the event loop is read from the metrics.
 *
 *   --seconds N   length of a turn (4)
 *   --rounds N    turns of each kind (3)
 *   --only TEXT   the inputs whose name contains it
 *   --wallets N   wallets of the hostile workspace, if an input reads them (20,000)
 */
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Neighbour, startNeighbour } from "../test/support/neighbour.ts";
import { type BenchService, startBenchService } from "./bench-service.ts";
import { HOSTILE_INPUTS, type HostileInput } from "./hostile-inputs.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { median } from "./statistics.ts";
import { line, type Verdict } from "./verdict.ts";

/** The neighbour alone would reach the limit. */
const SETTINGS = { SEXTANT_API_RATE_PER_SECOND: "1000", SEXTANT_API_RATE_BURST: "1000" };
const GIVE_UP_MS = 1_800_000;
const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    wallets: { type: "string", default: "20000" },
  },
});
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);

const SERVERS = ["events", "api"] as const;
type Server = (typeof SERVERS)[number];

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const service = await startBenchService(SETTINGS, onEnd);
  const inputs = Object.entries(HOSTILE_INPUTS)
    .filter(([name]) => name.includes(options.only))
    .map(([what, make]) => ({ what, input: make() }));
  if (inputs.some(({ input }) => input.readsWallets)) await sendWallets(service, Number(options.wallets));
  if (inputs.some(({ input }) => input.readsHistory)) await sendHistory(service);
  const { api, events } = await createWorkspace(service);
  const { apiUrl, eventsUrl } = service.credentials;
  const event = '{"type":"page","channel":"web","version":"1","anonymous_id":"a"}';
  const neighbours = {
    events: startNeighbour({
      url: `${eventsUrl}/v0/raw_events`,
      key: events,
      method: "POST",
      body: event,
      everyMs: 10,
    }),
    api: startNeighbour({ url: `${apiUrl}/api/forms`, key: api, method: "GET", body: "", everyMs: 50 }),
  };
  for (const name of SERVERS) onEnd(neighbours[name].stop);
  print(`${availableParallelism()} cores, clients included; ${rounds} turns of ${seconds} s, alone and beside`);
  await neighbours.events.warmUp(500);

  const verdicts: Verdict[] = [];
  let longestMs = 0;
  for (const { what, input } of inputs) {
    const turns: Record<Server, number[]> = { events: [], api: [] };
    const blocks: number[] = [];
    const statuses = new Set<number>();
    for (let round = 0; round < rounds; round += 1) {
      const alone = await p99During(neighbours, () => delay(seconds * 1000));
      await readLongestBlock(service);
      const beside = await p99During(neighbours, () => sendEverySecond(service, input, statuses));
      blocks.push(await readLongestBlock(service));
      for (const name of SERVERS) turns[name].push(beside[name] / alone[name]);
    }
    // The least of the turns: other programs of the machine only add, a request that blocks does so in each.
    const blockMs = Math.min(...blocks);
    longestMs = Math.max(longestMs, blockMs);
    print(
      `  ${what.padEnd(42)} ${[...statuses].join(", ").padEnd(9)} events ${shown(turns.events)}   API ${shown(turns.api)}` +
        `   longest block ${blockMs.toFixed(0)} ms`,
    );
    for (const name of SERVERS)
      verdicts.push(line(`p99 of ${name} beside / alone: ${what}`, Math.min(...turns[name]), 2, "", { atMost: 2 }));
  }
  return [...verdicts, line("longest block of the event loop", longestMs, 0, " ms", { atMost: 50 })];
}

const shown = (ratios: readonly number[]) => `${Math.min(...ratios).toFixed(2)} (median ${median(ratios).toFixed(2)})`;

async function createWorkspace({ command }: BenchService): Promise<{ api: string; events: string }> {
  const { id } = await command(["workspaces", "create", "Neighbour"]);
  const project = await command(["projects", "create", "App", "--workspace", id]);
  const { apiKey } = await command(["keys", "create", "--workspace", id]);
  const { writeKey } = await command(["write-keys", "create", "--workspace", id, "--project", project.id]);
  return { api: apiKey, events: writeKey };
}

const EVENTS_A_REQUEST = 500;

/** An event of each, today: its partition is dirty, and a search computes its profiles. */
function sendWallets(service: BenchService, count: number): Promise<void> {
  return sendAll(
    service,
    Array.from({ length: count }, (_, i) => ({
      type: "connect",
      channel: "web",
      version: "1",
      anonymous_id: `wallet ${i}`,
      // With digits that differ, as those of real ones.
      address: `0x${(BigInt(i) * 0x9e3779b97f4a7c15n).toString(16).padStart(40, "0").slice(-40)}`,
      properties: { chain_id: 1 },
    })),
  );
}

/** 90 days, in which an event comes about every hour. */
function sendHistory(service: BenchService): Promise<void> {
  const [nowMs, hours] = [Date.now(), 90 * 24];
  return sendAll(
    service,
    Array.from({ length: hours }, (_, i) => ({
      type: "page",
      channel: "web",
      version: "1",
      anonymous_id: `visitor ${i % 50}`,
      original_timestamp: new Date(nowMs - i * 3_600_000).toISOString(),
      sent_at: new Date(nowMs).toISOString(),
    })),
  );
}

async function sendAll({ credentials, waitUntilStored }: BenchService, all: readonly object[]): Promise<void> {
  for (let first = 0; first < all.length; first += EVENTS_A_REQUEST) {
    const events = all.slice(first, first + EVENTS_A_REQUEST);
    const answer = await fetch(`${credentials.eventsUrl}/v0/raw_events`, {
      method: "POST",
      headers: { authorization: `Bearer ${credentials.writeKey}`, "content-type": "application/json" },
      body: JSON.stringify(events),
    });
    if (!answer.ok) throw new Error(`the events before it: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
  await waitUntilStored();
}

/** Both servers at once. */
async function p99During(
  neighbours: Readonly<Record<Server, Neighbour>>,
  work: () => Promise<unknown>,
): Promise<Record<Server, number>> {
  const done = work();
  const [events, api] = await Promise.all(SERVERS.map((name) => neighbours[name].p99During(() => done)));
  return { events: events ?? 0, api: api ?? 0 };
}

async function sendEverySecond(
  { credentials }: BenchService,
  { server, method, path, body, headers = {} }: HostileInput,
  statuses: Set<number>,
): Promise<void> {
  const [url, key] =
    server === "api" ? [credentials.apiUrl, credentials.apiKey] : [credentials.eventsUrl, credentials.writeKey];
  const send = async () => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body ? { body } : {}),
    });
    statuses.add(answer.status);
    await answer.arrayBuffer();
  };
  const all: Promise<void>[] = [];
  for (let second = 0; second < seconds; second += 1) {
    all.push(send());
    await delay(1000);
  }
  await Promise.all(all);
}

/** Since the last reading, in milliseconds. */
async function readLongestBlock({ opsUrl }: BenchService): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN) * 1000;
}

await runBench(measure, GIVE_UP_MS);
