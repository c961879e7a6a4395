/**
 * Submits to a form of a real process, which is killed (kill -9) at random moments and started again, or frozen for a
 * while. Then compares every acknowledged submission with what real HTTP targets received. The suite runs few cycles,
 * `npm run chaos:webhooks` and `chaos:signals` run many.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { SCOPES } from "../../src/contract/scopes.ts";
import { createKeyText } from "../../src/control/key-text.ts";
import { createApiKey } from "../../src/control/keys.ts";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { createWorkspace } from "../../src/control/tenants.ts";
import type { BackendName } from "../../src/engines/control.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { openSqlite } from "../../src/engines/control-sqlite.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { TEST_SECRET } from "./api.ts";
import { quietLog } from "./control.ts";
import { callApi, makeForm, sendJson } from "./forms.ts";
import { createDatabase } from "./postgres.ts";
import { startProcess, type TestProcess } from "./process.ts";
import { type Received, startTarget, type Target } from "./targets.ts";
import { waitFor } from "./wait.ts";

const SERVER = resolve(import.meta.dirname, "delivery-server.ts");
const SENDERS = 4;
const TARGETS = 2;
/** A settled attempt is stored within this time of its response, so a later kill must not repeat it. */
const IN_FLIGHT_MS = 2_000;

export interface DeliveryChaosResult {
  acknowledged: number;
  received: number;
  /** Pairs of submission and webhook that have neither arrived nor are pending. */
  lost: number;
  /** Pending when the run ended. */
  waiting: number;
  /** Pending in a lane that has no due time, or a later one than the delivery: it would be sent never or late. */
  stuck: number;
  /** Sent again although the attempt before was answered with 2xx. */
  repeated: number;
  /** Repeated without a kill that explains it. */
  unexplained: number;
  /** Submissions that came under more than one webhook-id. */
  renamed: number;
  unverified: number;
}

interface Hit {
  webhookId: string;
  messageId: string;
  submissionId: string;
  atMs: number;
  /** Later than any kill until it is answered. */
  answeredAtMs: number;
  accepted: boolean;
}

export async function runDeliveryChaos(options: {
  backend: BackendName;
  seed: number;
  cycles: number;
  /** The process is not killed but stopped for so long, and goes on. */
  frozenMs?: number;
  say: (line: string) => void;
}): Promise<DeliveryChaosResult> {
  const next = seeded(options.seed);
  const place = options.backend === "sqlite" ? sqlitePlace() : await postgresPlace();
  const hits: Hit[] = [];
  // By submission, the webhooks whose target has accepted it: asked often, in the process that also is the targets.
  const reached = new Map<string, Set<string>>();
  const secrets = new Map<string, string>();
  let unverified = 0;
  const targets = await startTargets(next, (hit, request) => {
    hits.push(hit);
    if (hit.accepted) reached.set(hit.submissionId, (reached.get(hit.submissionId) ?? new Set()).add(hit.webhookId));
    if (!verifies(secrets.get(hit.webhookId) ?? "", request)) unverified += 1;
  });
  let server: TestProcess | undefined;
  const kills: number[] = [];
  const acknowledged = new Set<string>();
  let sending = true;
  try {
    const store = await place.open();
    const key = { text: await makeKey(store) };
    let apiUrl = "";
    const start = async () => {
      server = startProcess([SERVER, options.backend, place.argument], {});
      apiUrl = (await server.waitForLine(/listening on (\S+)/))[1] ?? "";
    };
    await start();
    const form = await makeForm({ apiUrl }, key);
    for (const target of targets) {
      const wanted = { formId: form.id, targetUrl: `${target.url}/hook`, eventTypes: ["FORM_SUBMISSION"] };
      const made = (await (await callApi({ apiUrl }, key, "POST", "/api/webhooks", wanted)).json()) as {
        data: { webhookId: string; secret: string };
      };
      secrets.set(made.data.webhookId, made.data.secret);
    }
    const send = async () => {
      while (sending) {
        const id = await submit(apiUrl, form.id);
        if (id !== undefined) acknowledged.add(id);
        await delay(id === undefined ? 20 : next() * 10);
      }
    };
    const senders = Array.from({ length: SENDERS }, send);
    for (let cycle = 1; cycle <= options.cycles; cycle += 1) {
      const before = acknowledged.size;
      await waitFor("submissions to get through", () => acknowledged.size > before, 20_000);
      await delay(next() * 600);
      if (options.frozenMs === undefined) {
        await server?.kill("SIGKILL");
        await readWhatWasSent();
        kills.push(Date.now());
        await start();
      } else {
        server?.child.kill("SIGSTOP");
        await delay(options.frozenMs);
        // Attempts that were under way all the time may be repeated: their targets have heard of them since.
        kills.push(
          ...Array.from({ length: Math.ceil(options.frozenMs / 1_000) + 2 }, (_, s) => Date.now() - s * 1_000),
        );
        server?.child.kill("SIGCONT");
      }
      options.say(`cycle ${cycle} of ${options.cycles}: ${acknowledged.size} acknowledged, ${hits.length} received`);
    }
    sending = false;
    await Promise.all(senders);
    const missing = () => findMissing(acknowledged, [...secrets.keys()], reached);
    // Longer than a lease and the first gap together.
    await waitFor("everything to arrive", () => missing().length === 0, 60_000).catch(() => undefined);
    const left = judgeMissing(missing(), await readDeliveries(store));
    for (const line of left.lines) options.say(line);
    await store.close();
    const { lost, waiting, stuck } = left;
    const counts = { acknowledged: acknowledged.size, received: hits.length, lost, waiting, stuck, unverified };
    const { lines, ...repeats } = judgeRepeats(hits, kills);
    for (const line of lines) options.say(line);
    return { ...counts, ...repeats };
  } finally {
    sending = false;
    await server?.kill("SIGKILL");
    for (const target of targets) await target.close();
    await place.drop();
  }
}

/** Answers after a moment, so that kills meet attempts under way; one in ten fails once and comes again after 5 s. */
async function startTargets(next: () => number, note: (hit: Hit, request: Received) => void): Promise<Target[]> {
  const started = [];
  const failed = new Set<string>();
  for (let i = 0; i < TARGETS; i += 1) {
    started.push(
      await startTarget((response, request) => {
        const body = JSON.parse(request.body) as { webhookId: string; submissionId: string };
        const messageId = String(request.headers["webhook-id"]);
        const accepted = failed.has(messageId) || next() > 0.1;
        if (!accepted) failed.add(messageId);
        const { webhookId, submissionId } = body;
        const times = { atMs: Date.now(), answeredAtMs: Number.POSITIVE_INFINITY };
        const hit: Hit = { webhookId, submissionId, messageId, ...times, accepted };
        note(hit, request);
        setTimeout(() => {
          hit.answeredAtMs = Date.now();
          response.writeHead(accepted ? 200 : 500).end();
        }, next() * 60);
      }),
    );
  }
  return started;
}

async function submit(apiUrl: string, formId: string): Promise<string | undefined> {
  try {
    const answer = await sendJson({ apiUrl }, formId, { name: "Ada" });
    const body = (await answer.json()) as { data?: { submissionId: string } };
    return answer.status === 201 ? body.data?.submissionId : undefined;
  } catch {
    // The connection broke: whether the answers were taken is unknown, as it is for any client.
    return undefined;
  }
}

function verifies(secret: string, request: Received): boolean {
  const headers = request.headers as Record<string, string>;
  try {
    for (const library of [new StandardWebhook(secret), new SvixWebhook(secret)]) library.verify(request.body, headers);
    return true;
  } catch {
    return false;
  }
}

/** One event on its way to one webhook. */
interface Pair {
  submissionId: string;
  webhookId: string;
}

export function findMissing(
  acknowledged: ReadonlySet<string>,
  webhookIds: readonly string[],
  reached: ReadonlyMap<string, ReadonlySet<string>>,
): Pair[] {
  return [...acknowledged].flatMap((submissionId) =>
    webhookIds
      .filter((webhookId) => !reached.get(submissionId)?.has(webhookId))
      .map((webhookId) => ({ submissionId, webhookId })),
  );
}

export interface StoredDelivery extends Pair {
  id: string;
  state: string;
  tier: number;
  due_at: number;
  /** Of its lane. */
  next_due_at: number | null;
}

async function readDeliveries(store: ControlStore): Promise<StoredDelivery[]> {
  const rows = await store.read
    .selectFrom("deliveries")
    .innerJoin("webhooks", "webhooks.id", "deliveries.webhook_id")
    .select(["deliveries.id", "deliveries.webhook_id", "deliveries.payload", "deliveries.state"])
    .select(["deliveries.tier", "deliveries.due_at", "webhooks.next_due_at"])
    .execute();
  return rows.map(({ payload, webhook_id: webhookId, ...row }) => {
    const { submissionId } = JSON.parse(payload) as { submissionId: string };
    return { ...row, webhookId, submissionId };
  });
}

/** The state of pairs that have not arrived: pending or lost. */
export function judgeMissing(missing: readonly Pair[], deliveries: readonly StoredDelivery[]) {
  const name = ({ submissionId, webhookId }: Pair) => `${submissionId} ${webhookId}`;
  const underWay = new Map(
    deliveries.filter(({ state }) => state === "pending" || state === "sending").map((row) => [name(row), row]),
  );
  const open = missing.flatMap((pair) => underWay.get(name(pair)) ?? []);
  const stuck = open.filter(
    (row) => row.state === "pending" && (row.next_due_at === null || (row.tier === 1 && row.next_due_at > row.due_at)),
  );
  const lines = open.slice(0, 5).map((row) => `not there yet: ${JSON.stringify(row)} at ${Date.now()}`);
  return { lost: missing.length - open.length, waiting: open.length, stuck: stuck.length, lines };
}

/**
 * What a killed process sent may wait in sockets of the targets, which are of this process: the attempt comes before
 * the kill. A connection takes one turn of the loop, what came over it another.
 */
export async function readWhatWasSent(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

function judgeRepeats(hits: readonly Hit[], kills: readonly number[]) {
  let repeated = 0;
  const lines: string[] = [];
  for (const same of Map.groupBy(hits, (hit) => hit.messageId).values()) {
    for (const [i, hit] of same.entries()) {
      if (!hit.accepted || i === same.length - 1) continue;
      repeated += 1;
      if (kills.some((at) => at >= hit.atMs && at - hit.answeredAtMs < IN_FLIGHT_MS)) continue;
      const [again = hit, gaps] = [same[i + 1], kills.map((at) => at - hit.atMs).join(", ")];
      lines.push(`repeated after ${again.atMs - hit.atMs} ms; kills ${gaps} ms after the attempt`);
    }
  }
  const byEvent = Map.groupBy(hits, (hit) => `${hit.submissionId} ${hit.webhookId}`);
  const renamed = [...byEvent.values()].filter((same) => new Set(same.map((hit) => hit.messageId)).size > 1).length;
  return { repeated, unexplained: lines.length, renamed, lines };
}

async function makeKey(store: ControlStore): Promise<string> {
  await migrateControl(store, systemClock);
  const text = createKeyText("api");
  await store.write(async (tx) => {
    const workspace = await createWorkspace(tx, "Chaos", 1);
    const key = { text, name: "k", projectId: null, scopes: SCOPES, expiresAtMs: null };
    await createApiKey(tx, workspace.id, TEST_SECRET, key, 1);
  });
  return text;
}

function sqlitePlace() {
  const dir = mkdtempSync(join(tmpdir(), "hooks-"));
  const file = join(dir, "control.sqlite");
  return {
    argument: file,
    open: async () => openSqlite<ControlSchema>(file),
    drop: async () => rmSync(dir, { recursive: true, force: true }),
  };
}

async function postgresPlace() {
  const database = await createDatabase();
  return {
    argument: database.url,
    open: () => openPostgres<ControlSchema>(database.url, quietLog),
    drop: database.drop,
  };
}

/**
 * A small generator. One seed gives the same sequence of numbers, not the same run: kills, senders and targets share
 * it, and the order in which they draw depends on the machine.
 */
function seeded(seed: number): () => number {
  let state = (seed % 2_147_483_647) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** The guarantees after any number of kills. */
export function assertNothingLost(result: DeliveryChaosResult): void {
  const { lost, waiting, stuck, unexplained, renamed, unverified } = result;
  assert.deepEqual(
    { lost, waiting, stuck, unexplained, renamed, unverified },
    { lost: 0, waiting: 0, stuck: 0, unexplained: 0, renamed: 0, unverified: 0 },
  );
  assert.ok(result.acknowledged > 0 && result.received >= result.acknowledged);
}
