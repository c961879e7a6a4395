/**
 * Sends events to a real service, kills, stops or freezes it at random moments and starts it again. Then compares the
 * acknowledged events with those in the warehouse. The suite runs few cycles, `npm run chaos:ingest` and
 * `chaos:signals` run many.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { readLedger } from "../../src/warehouse/ledger.ts";
import { sampleEvent } from "./events.ts";
import { ENGINE_CHILD, findChild } from "./process.ts";
import { makeDataDir, readCredentials, startService, type TestService } from "./service.ts";
import { waitFor } from "./wait.ts";
import { connectWarehouse } from "./warehouse.ts";

export interface ChaosResult {
  acknowledged: number;
  stored: number;
  lost: number;
  doubled: number;
  unexpected: number;
  /** Events by which the ledger is wrong: above those sent, below those acknowledged, or unequal to those stored. */
  miscounted: number;
  rejected: number;
}

/** Events by how their requests ended; one that was sent three times counts three times. */
interface Deliveries {
  acknowledged: number;
  unanswered: number;
}

interface ChaosOptions {
  seed: number;
  cycles: number;
  /** The whole service, or only its engine child. */
  victim: "service" | "engine";
  /** The signal to the service, by default SIGKILL. SIGTERM must end it with 0, and SIGCONT follows SIGSTOP. */
  signal?: "SIGKILL" | "SIGTERM" | "SIGSTOP";
  frozenMs?: number;
  /**
   * How long a sender rests after a batch, by default not at all. With 10 ms every interrupt still finds events in each
   * state, and the suite need not store and compare tens of thousands of them.
   */
  restMs?: number;
  say: (line: string) => void;
}

const MOST_LOG_BYTES = 128 * 1024 * 1024;
const STALLED_MS = 60_000;
const SENDERS = 8;

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const nextKill = seeded(options.seed);
  const { dir, remove } = makeDataDir();
  const limits = {
    SEXTANT_EVENTS_RATE_PER_SECOND: "100000",
    SEXTANT_EVENTS_RATE_BURST: "1000000",
    SEXTANT_LOG_LEVEL: "error",
  };
  let service = await startService(dir, limits);
  const { writeKey, projectId } = readCredentials(dir);
  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  const deliveries: Deliveries = { acknowledged: 0, unanswered: 0 };
  let rejected = 0;
  let sending = true;
  let held = false;

  async function holdWhileBehind(): Promise<void> {
    for (; sending; await delay(100))
      held = (await readMetric(service, "sextant_log_bytes").catch(() => 0)) > MOST_LOG_BYTES;
  }

  /** Like a client that keeps events until they are acknowledged: it sends the same ids again after a failure. */
  async function send(name: number): Promise<void> {
    const next = seeded(options.seed + 1 + name);
    for (let round = 0; sending; round += 1) {
      // A hundred kills would otherwise leave minutes of draining, and millions of ids to compare.
      while (sending && held) await delay(50);
      const size = 1 + Math.floor(next() * 20);
      const ids = Array.from({ length: size }, (_, i) => `${options.seed}-${name}-${round}-${i}`);
      for (const id of ids) sent.add(id);
      const body = JSON.stringify(ids.map((id) => sampleEvent(id, { anonymous_id: `visitor-${name}` })));
      const deliver = async () => {
        const status = await post(service.eventsUrl, writeKey, body);
        if (status === 200) deliveries.acknowledged += size;
        else if (status === undefined) deliveries.unanswered += size;
        return status;
      };
      for (let done = false; !done && sending; ) {
        const status = await deliver();
        done = status === 200;
        if (done) for (const id of ids) acknowledged.add(id);
        else {
          if (status !== undefined) {
            rejected += 1;
            options.say(`an answer other than 200: ${status}`);
          }
          await delay(20);
        }
        // A client without a valid response sends once more.
        if (done && next() < 0.05) await deliver();
      }
      if (options.restMs !== undefined) await delay(options.restMs);
    }
  }

  try {
    const senders = [holdWhileBehind(), ...Array.from({ length: SENDERS }, (_, i) => send(i))];
    for (let cycle = 1; cycle <= options.cycles; cycle += 1) {
      const before = acknowledged.size;
      // They are held back while the service stores what earlier kills left behind.
      await waitFor("the senders to get through", () => acknowledged.size > before, 300_000);
      await delay(50 + nextKill() * 700);
      service = await interrupt(options, service, () => startService(dir, limits));
      options.say(`cycle ${cycle} of ${options.cycles}: ${acknowledged.size} events acknowledged`);
    }
    await delay(200);
    sending = false;
    await Promise.all(senders);
    await drain(service);
    return { ...(await compare(dir, projectId, sent, acknowledged, deliveries)), rejected };
  } finally {
    sending = false;
    await service.kill("SIGKILL");
    remove();
  }
}

async function interrupt(
  { victim, signal = "SIGKILL", frozenMs = 5_000 }: ChaosOptions,
  service: TestService,
  start: () => Promise<TestService>,
): Promise<TestService> {
  const ready = async () => (await fetch(`${service.opsUrl}/readyz`)).status === 200;
  if (victim === "engine") {
    process.kill(findChild(service.child.pid ?? 0, ENGINE_CHILD), "SIGKILL");
    await waitFor("the engine to be back", ready, 30_000);
    return service;
  }
  if (signal === "SIGSTOP") {
    service.child.kill("SIGSTOP");
    await delay(frozenMs);
    service.child.kill("SIGCONT");
    await waitFor("the service to be ready again", ready, 30_000);
    return service;
  }
  const ended = await service.kill(signal);
  // The service itself ends with 1 when it has not stopped within its deadline.
  if (signal === "SIGTERM" && ended !== 0)
    throw new Error(`SIGTERM ended the service with ${ended}: ${service.stderr()}`);
  return start();
}

async function post(eventsUrl: string, writeKey: string, body: string): Promise<number | undefined> {
  try {
    const answer = await fetch(`${eventsUrl}/v0/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${writeKey}`, "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(10_000),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    // The connection broke: whether the events were taken is unknown, as it is for any client.
    return undefined;
  }
}

/** A hundred kills leave millions of events: all their ids in one answer are more than the engine may hold. */
const SLICES = 32;

async function compare(
  dir: string,
  projectId: string,
  sent: ReadonlySet<string>,
  acknowledged: ReadonlySet<string>,
  deliveries: Deliveries,
): Promise<Omit<ChaosResult, "rejected">> {
  const warehouse = connectWarehouse(dir);
  try {
    const ledger = await readSums(warehouse, projectId);
    const found = await findStored(warehouse);
    return {
      acknowledged: acknowledged.size,
      stored: found.size,
      lost: [...acknowledged].filter((id) => !found.has(id)).length,
      doubled: [...found.values()].filter((copies) => copies !== 1).length,
      unexpected: [...found.keys()].filter((id) => !sent.has(id)).length,
      miscounted:
        Math.max(0, deliveries.acknowledged - ledger.received) +
        Math.max(0, ledger.received - deliveries.acknowledged - deliveries.unanswered) +
        Math.abs(ledger.stored - found.size) +
        Math.abs(ledger.duplicate - (ledger.received - found.size)),
    };
  } finally {
    await warehouse.close();
  }
}

/** How often each message id is stored. */
export async function findStored(warehouse: AnalyticsEngine): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (let slice = 0; slice < SLICES; slice += 1) {
    const { rows } = await warehouse.select<{ id: string; copies: number }>(
      `SELECT message_id AS id, count(*) AS copies FROM events WHERE hash(message_id) % ${SLICES} = ${slice} GROUP BY message_id`,
    );
    for (const { id, copies } of rows) found.set(id, copies);
  }
  return found;
}

/**
 * Resolves when the warehouse has every event of the log, ledger included, or when no event was stored for a minute:
 * events that are missing then are lost.
 */
export async function drain(service: TestService): Promise<void> {
  let stored = -1;
  for (let movedAt = performance.now(); performance.now() - movedAt < STALLED_MS; await delay(100)) {
    if ((await readMetric(service, "sextant_log_oldest_seconds")) === 0) return;
    const now = await readMetric(service, "sextant_events_stored_total");
    if (now !== stored) movedAt = performance.now();
    stored = now;
  }
}

async function readMetric(service: TestService, name: string): Promise<number> {
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  const [, value] = new RegExp(`^${name} (\\S+)$`, "m").exec(metrics) ?? [];
  if (value === undefined) throw new Error(`the service has no metric ${name}`);
  return Number(value);
}

export async function readSums(warehouse: AnalyticsEngine, projectId: string) {
  const lines = await readLedger(warehouse, [projectId], { fromMs: Date.now() - DAY_MS, toMs: Date.now() + 60_000 });
  const sum = (name: "received" | "stored" | "duplicate") => lines.reduce((all, line) => all + line[name], 0);
  return { received: sum("received"), stored: sum("stored"), duplicate: sum("duplicate") };
}

/**
 * A small generator. The killer and each sender have their own, so the waits before kills and the sizes of batches
 * depend only on the seed, not on the timing of the run.
 */
export function seeded(seed: number): () => number {
  let state = (seed % 2_147_483_647) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
