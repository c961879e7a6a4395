/**
 * `npm run bench:import`: importing a file of JSON lines, as a ratio to sending the same events in batches of 100, in one
 * run, each to a service of its own. `-- --events N` changes the number (5,000,000).
 *
 * Wall time depends on what else the machine does, so processor time an event is printed beside it.
 */
import { createReadStream, createWriteStream, rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { startProcess } from "../test/support/process.ts";
import { MAIN } from "../test/support/service.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { type Sextant, startSextant } from "./sextant.ts";
import { readUsage, watchMemory } from "./usage.ts";
import { line, type Verdict } from "./verdict.ts";

const { values } = parseArgs({ options: { events: { type: "string", default: "5000000" } } });
const EVENTS = Number(values.events);
const PER_BATCH = 100;
const CONNECTIONS = 16;
/** A day of history: old partitions are what an import fills. */
const FIRST_MS = Date.UTC(2024, 0, 1);
const SPAN_MS = 365 * 86_400_000;
/** A second of work for 1,000 events would be a hang. */
const GIVE_UP_MS = 60_000 + EVENTS * 2;

interface Measured {
  readonly perSecond: number;
  readonly serviceUs: number;
  readonly clientUs: number;
  readonly clientMb: number;
  readonly lost: number;
}

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const path = join(tmpdir(), `import-bench-${process.pid}.ndjson`);
  onEnd(() => rmSync(path, { force: true }));
  await pipeline(makeLines(), createWriteStream(path));
  print(`${EVENTS.toLocaleString("en")} events, ${Math.round((await stat(path)).size / 1e6)} MB of JSON lines`);
  const batches = await measureOne(onEnd, (sextant) => sendBatches(path, sextant));
  print(`batches of ${PER_BATCH}:  ${describe(batches)}`);
  const imported = await measureOne(onEnd, (sextant) => runImport(path, sextant));
  print(`sextant import: ${describe(imported)}`);
  const costs = [batches, imported].map(({ serviceUs, clientUs }) => serviceUs + clientUs);
  print(`processor time an event, import / batches: ${((costs[1] ?? 0) / (costs[0] ?? 1)).toFixed(2)}`);
  return [
    line("memory of the import, peak", imported.clientMb, 0, " MB", { atMost: 1_000 }),
    line("events that are not in the warehouse", batches.lost + imported.lost, 0, "", { exactly: 0 }),
    line("events/s stored, import / batches of 100", imported.perSecond / batches.perSecond, 2, "", { atLeast: 0.7 }),
  ];
}

function describe({ perSecond, serviceUs, clientUs, clientMb }: Measured): string {
  return (
    `${Math.round(perSecond).toLocaleString("en")} events/s stored; processor an event: service and engine ` +
    `${serviceUs.toFixed(0)} us, client ${clientUs.toFixed(0)} us; client at most ${clientMb.toFixed(0)} MB`
  );
}

/** Sends everything to a new service, and waits until it is stored. */
async function measureOne(
  onEnd: OnEnd,
  send: (sextant: Sextant) => Promise<{ cpuSeconds: number; mb: number }>,
): Promise<Measured> {
  const sextant = await startSextant(onEnd);
  const before = readUsage(sextant.pid).cpuSeconds;
  const startedAt = performance.now();
  const client = await send(sextant);
  await sextant.waitUntilStored();
  const seconds = (performance.now() - startedAt) / 1000;
  const serviceUs = ((readUsage(sextant.pid).cpuSeconds - before) / EVENTS) * 1e6;
  const { distinct } = await sextant.stopAndCount();
  const clientUs = (client.cpuSeconds / EVENTS) * 1e6;
  return { perSecond: EVENTS / seconds, serviceUs, clientUs, clientMb: client.mb, lost: EVENTS - distinct };
}

async function sendBatches(path: string, { credentials }: Sextant): Promise<{ cpuSeconds: number; mb: number }> {
  const before = process.cpuUsage();
  const url = `${credentials.eventsUrl}/v0/raw_events`;
  const headers = { authorization: `Bearer ${credentials.writeKey}`, "content-type": "application/json" };
  const sending = new Set<Promise<void>>();
  let batch: string[] = [];
  async function post(body: string): Promise<void> {
    const answer = await fetch(url, { method: "POST", headers, body });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`a batch was answered ${answer.status}`);
  }
  async function flush(): Promise<void> {
    const sent = post(`[${batch.join(",")}]`).then(() => void sending.delete(sent));
    sending.add(sent);
    batch = [];
    if (sending.size >= CONNECTIONS) await Promise.race(sending);
  }
  for await (const text of createInterface(createReadStream(path))) {
    batch.push(text);
    if (batch.length === PER_BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  await Promise.all(sending);
  const { user, system } = process.cpuUsage(before);
  return { cpuSeconds: (user + system) / 1e6, mb: process.memoryUsage.rss() / 1e6 };
}

async function runImport(path: string, { env }: Sextant): Promise<{ cpuSeconds: number; mb: number }> {
  const command = startProcess([MAIN, "import", "events", path], env);
  const pid = command.child.pid ?? 0;
  const memory = watchMemory(pid);
  let cpuSeconds = 0;
  const sampling = setInterval(() => {
    cpuSeconds = Math.max(cpuSeconds, readUsage(pid).cpuSeconds);
  }, 50);
  const code = await command.exited;
  clearInterval(sampling);
  const { serviceMb } = memory.stop();
  if (code !== 0) throw new Error(`the import ended with ${code}: ${command.stderr().slice(-500)}`);
  return { cpuSeconds, mb: serviceMb };
}

function* makeLines(): Generator<string> {
  const pages = ["/", "/swap", "/pools", "/earn", "/bridge"];
  for (let n = 0; n < EVENTS; n += 1) {
    const page = pages[n % pages.length];
    const event = {
      type: n % 4 === 3 ? "track" : "page",
      channel: "import",
      version: "1",
      event: n % 4 === 3 ? "Swap Completed" : "",
      anonymous_id: `visitor-${(n * 7919) % 200_000}`,
      message_id: `bench-${n.toString(36).padStart(8, "0")}-${((n * 2654435761) % 4294967296).toString(16)}`,
      original_timestamp: new Date(FIRST_MS + Math.floor((n / EVENTS) * SPAN_MS)).toISOString(),
      context: {
        page_url: `https://app.example.org${page}?utm_source=newsletter`,
        referrer: "https://www.google.com/",
        user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
        timezone: "Europe/Berlin",
        locale: "en-US",
        screen_width: 1920,
        screen_height: 1080,
      },
      properties: { revenue: (n % 1000) / 10, path: page },
    };
    yield `${JSON.stringify(event)}\n`;
  }
}

await runBench(measure, GIVE_UP_MS);
