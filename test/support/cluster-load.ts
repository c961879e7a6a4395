/**
 * Clients of a cluster: they send events and submissions and read forms. Each request goes to one node and, if that
 * fails, once to another. At the end, acknowledged requests are compared with the warehouse and the webhook target.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster, ClusterNode } from "./cluster.ts";
import { sampleEvent } from "./events.ts";
import { callApi, makeForm, sendJson } from "./forms.ts";
import { startTarget, type Target } from "./targets.ts";
import { waitFor } from "./wait.ts";
import { selectNumber } from "./warehouse.ts";

/** Light enough that two cores are not the bottleneck; nearly always a request is running. */
const PAUSE_MS = 15;
const EVENTS_AT_ONCE = 5;
/** Longer than the lease of a dead worker (20 s) and the first gap after a failed attempt. */
const ARRIVE_MS = 60_000;

export interface ClusterLoad {
  acknowledged(): number;
  /** Requests that failed on two nodes, with the errors. */
  errors: readonly string[];
  /** Stops the clients, waits for running requests, and compares. */
  finish(): Promise<LoadResult>;
}

export interface LoadResult {
  events: number;
  submissions: number;
  reads: number;
  lostEvents: number;
  doubledEvents: number;
  lostSubmissions: number;
  /** Deliveries of acknowledged submissions that did not arrive. */
  lostDeliveries: number;
  /** Deliveries that arrived more than once. */
  repeatedDeliveries: number;
}

export async function startLoad(cluster: Cluster, name: string): Promise<ClusterLoad> {
  const key = { text: cluster.credentials.apiKey };
  const { api, ingest } = cluster.nodes;
  const target = await startTarget((response) => response.end());
  const [front] = api;
  const form = await makeForm({ apiUrl: front?.service().apiUrl ?? "" }, key);
  const hook = { formId: form.id, targetUrl: `${target.url}/${name}`, eventTypes: ["FORM_SUBMISSION"] };
  await callApi({ apiUrl: front?.service().apiUrl ?? "" }, key, "POST", "/api/webhooks", hook);
  const events = new Set<string>();
  const submissions = new Set<string>();
  const errors: string[] = [];
  let reads = 0;
  let sending = true;

  /** Sends to one node and, if that fails, to the other. */
  async function ask(nodes: readonly ClusterNode[], round: number, send: (node: ClusterNode) => Promise<Response>) {
    const said: string[] = [];
    for (const node of [...nodes.slice(round % nodes.length), ...nodes.slice(0, round % nodes.length)]) {
      try {
        const answer = await send(node);
        if (answer.ok) return answer;
        said.push(`${node.name}: ${answer.status} ${await answer.text()}`);
      } catch (cause) {
        said.push(`${node.name}: ${((cause as Error).cause as Error | undefined)?.message ?? String(cause)}`);
      }
    }
    errors.push(said.join("; "));
    return undefined;
  }

  async function repeat(step: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; sending; round += 1) {
      await step(round);
      await delay(PAUSE_MS);
    }
  }

  const sendEvents = (sender: number) =>
    repeat(async (round) => {
      const ids = Array.from({ length: EVENTS_AT_ONCE }, (_, i) => `${name}-${sender}-${round}-${i}`);
      const answer = await ask(ingest, round + sender, (node) => postEvents(cluster, node, ids));
      if (answer) for (const id of ids) events.add(id);
    });
  const submit = () =>
    repeat(async (round) => {
      const answer = await ask(api, round, (node) => sendJson(node.service(), form.id, { name: "Ada" }));
      const body = (await answer?.json()) as { data: { submissionId: string } } | undefined;
      if (body) submissions.add(body.data.submissionId);
    });
  const read = () =>
    repeat(async (round) => {
      const answer = await ask(api, round, (node) => callApi(node.service(), key, "GET", `/api/forms/${form.id}`));
      if (answer) reads += 1;
      await answer?.arrayBuffer();
      // Within the workspace's rate limit.
      await delay(2 * PAUSE_MS);
    });
  const clients = [sendEvents(0), sendEvents(1), submit(), read()];

  return {
    errors,
    acknowledged: () => Math.min(events.size, submissions.size, reads),
    async finish() {
      sending = false;
      await Promise.all(clients);
      try {
        const stored = await compareEvents(cluster, name, events);
        return {
          events: events.size,
          submissions: submissions.size,
          reads,
          ...stored,
          ...(await compareSubmissions(cluster, form.id, target, submissions)),
        };
      } finally {
        await target.close();
      }
    },
  };
}

export function postEvents(cluster: Cluster, node: ClusterNode, ids: readonly string[]): Promise<Response> {
  return fetch(`${node.service().eventsUrl}/v0/events`, {
    method: "POST",
    headers: { authorization: `Bearer ${cluster.credentials.writeKey}`, "content-type": "application/json" },
    body: JSON.stringify(ids.map((id) => sampleEvent(id, { anonymous_id: `visitor of ${id}` }))),
  });
}

async function compareEvents(cluster: Cluster, name: string, sent: ReadonlySet<string>) {
  const ours = `startsWith(message_id, '${name}-')`;
  const count = () => selectNumber(cluster.engine, `SELECT uniqExact(message_id) AS n FROM events WHERE ${ours}`);
  await waitFor("the events to be stored", async () => (await count()) >= sent.size, ARRIVE_MS).catch(() => undefined);
  const { rows } = await cluster.engine.select<{ id: string; copies: number }>(
    `SELECT message_id AS id, count() AS copies FROM events WHERE ${ours} GROUP BY id`,
  );
  const found = new Set(rows.map(({ id }) => id));
  return {
    lostEvents: [...sent].filter((id) => !found.has(id)).length,
    doubledEvents: rows.filter(({ copies }) => copies !== 1).length,
  };
}

async function compareSubmissions(cluster: Cluster, formId: string, target: Target, acknowledged: ReadonlySet<string>) {
  const rows = await cluster.store.read.selectFrom("submissions").select("id").where("form_id", "=", formId).execute();
  const kept = new Set(rows.map(({ id }) => id));
  const arrived = () =>
    new Set(target.received.map(({ body }) => (JSON.parse(body) as { submissionId: string }).submissionId));
  const missing = () => [...acknowledged].filter((id) => !arrived().has(id)).length;
  await waitFor("the deliveries to arrive", () => missing() === 0, ARRIVE_MS).catch(() => undefined);
  const ids = target.received.map(({ headers }) => headers["webhook-id"]);
  return {
    lostSubmissions: [...acknowledged].filter((id) => !kept.has(id)).length,
    lostDeliveries: missing(),
    repeatedDeliveries: ids.length - new Set(ids).size,
  };
}
