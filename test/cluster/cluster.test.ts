import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SCOPES } from "../../src/contract/scopes.ts";
import { createKeyText } from "../../src/control/key-text.ts";
import { createApiKey, createWriteKey, revokeApiKey, revokeWriteKey } from "../../src/control/keys.ts";
import { createWorkspace } from "../../src/control/tenants.ts";
import { IS_LONG, ONLY_LONG } from "../../src/lib/testing.ts";
import {
  CLUSTER_ROLES,
  CLUSTER_SECRET,
  type Cluster,
  type ClusterNode,
  hasCredentials,
  startCluster,
} from "../support/cluster.ts";
import { postEvents, startLoad } from "../support/cluster-load.ts";
import { temporaryDir } from "../support/engine.ts";
import { sampleEvent } from "../support/events.ts";
import { callApi } from "../support/forms.ts";
import { whyNoClickHouse } from "../support/platform.ts";
import { startProcess } from "../support/process.ts";
import { MAIN, serviceEnv } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { selectNumber } from "../support/warehouse.ts";

const SECRET = Buffer.from(CLUSTER_SECRET, "utf8");
const NOTHING_LOST = { lostEvents: 0, doubledEvents: 0, lostSubmissions: 0, lostDeliveries: 0 };

describe("two ingest nodes, two API nodes and two workers over one PostgreSQL and one ClickHouse", {
  timeout: 600_000,
  skip: whyNoClickHouse() ?? false,
}, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.stop());

  const pair = (role: "ingest" | "api" | "worker") => {
    const [one, two] = cluster.nodes[role];
    assert.ok(one && two);
    return [one, two] as const;
  };
  const onBoth = <T>(role: "ingest" | "api", send: (node: ClusterNode) => Promise<T>) =>
    Promise.all(pair(role).map(send));
  const makeKey = (scope: { workspaceId?: string } = {}) =>
    cluster.store.write(async (tx) => {
      const workspaceId = scope.workspaceId ?? (await createWorkspace(tx, "Another", Date.now())).id;
      const text = createKeyText("api");
      const wanted = { text, name: "k", projectId: null, scopes: SCOPES, expiresAtMs: null };
      const { id } = await createApiKey(tx, workspaceId, SECRET, wanted, Date.now());
      return { text, id, workspaceId };
    });

  test("nodes that start together on empty stores create one workspace, and one node has its keys", async () => {
    const rows = await cluster.store.read.selectFrom("workspaces").select("id").execute();
    assert.deepEqual(rows, [{ id: cluster.credentials.workspaceId }]);
    assert.equal(cluster.all.filter(hasCredentials).length, 1);
    for (const node of cluster.all) {
      await waitFor("it to be ready", async () => (await fetch(`${node.service().opsUrl}/readyz`)).status === 200);
      const named = ["API", "Events"].filter((name) => new RegExp(`^ +${name} `, "m").test(node.service().stdout()));
      assert.deepEqual(named, { api: ["API"], ingest: ["Events"], worker: [] }[node.role], "only what it serves");
    }
  });

  test("a node with another secret does not start, and says why", async () => {
    const dir = temporaryDir();
    const changes = { ...cluster.env, SEXTANT_ROLES: "api", SEXTANT_SECRET: "a secret that is not the others' one" };
    const stranger = startProcess([MAIN, "serve"], serviceEnv(dir, changes));
    assert.equal(await stranger.exited, 1);
    assert.match(stranger.stderr(), /set SEXTANT_SECRET to the same value on every node/);
    rmSync(dir, { recursive: true });
  });

  test("an event counts once, whichever node receives it, also when both receive it at once", async () => {
    const [one, two] = pair("ingest");
    const ids = (where: string) => Array.from({ length: 20 }, (_, i) => `once-${where}-${i}`);
    const answers = [
      await postEvents(cluster, one, ids("one")),
      await postEvents(cluster, two, ids("two")),
      ...(await onBoth("ingest", (node) => postEvents(cluster, node, ids("both")))),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const stored = "SELECT sum(events) AS n FROM ledger WHERE outcome IN ('stored', 'duplicate')";
    await waitFor("all copies to be stored", async () => (await selectNumber(cluster.engine, stored)) === 80);
    const counts = await onBoth("api", (node) => readHits(node));
    assert.deepEqual(counts, [60, 60]);
  });

  async function readHits(node: ClusterNode): Promise<number> {
    const answer = await callApi(node.service(), { text: cluster.credentials.apiKey }, "GET", "/v0/top_sources");
    const { data } = (await answer.json()) as { data: { hits: number }[] };
    return data.reduce((sum, { hits }) => sum + hits, 0);
  }

  test("an Idempotency-Key sent to both API nodes at once has one effect", async () => {
    const key = await makeKey();
    for (let i = 0; i < 10; i += 1) {
      const form = { title: `Form ${i}`, fields: [{ label: "Name", type: "short_text" }] };
      const send = (node: ClusterNode) =>
        callApi(node.service(), key, "POST", "/api/forms", form, { "idempotency-key": `key-${i}` });
      const statuses = (await onBoth("api", send)).map(({ status }) => status).sort((a, b) => a - b);
      assert.ok(statuses[0] === 201 && [201, 409].includes(statuses[1] ?? 0), statuses.join());
      const [first, second] = await onBoth("api", async (node) => (await send(node)).text());
      assert.equal(first, second, "both replay the same answer");
    }
    const forms = await cluster.store.read
      .selectFrom("forms")
      .select("id")
      .where("workspace_id", "=", key.workspaceId)
      .execute();
    assert.equal(forms.length, 10);
  });

  test("both API nodes share one rate limit per workspace", async () => {
    const key = await makeKey();
    const startedAt = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        const node = pair("api")[i % 2 === 0 ? 0 : 1];
        const answer = await callApi(node.service(), key, "GET", "/api/forms");
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const allowed = statuses.filter((status) => status === 200).length;
    assert.equal(allowed + statuses.filter((status) => status === 429).length, 500);
    // The defaults: a burst of 200, and 100 a second after it. Each node alone would have let 200 through.
    const most = 200 + Math.ceil(100 * seconds);
    assert.ok(allowed >= Math.min(200, most) && allowed <= most, `${allowed} of 500 in ${seconds.toFixed(2)} s`);
  });

  test("a revoked key stops within a second on every node, even while it is in use", async (t) => {
    // A busy machine delays one or another round, a slow node each of them.
    const rounds: number[] = [];
    while (rounds.length < 10 && !rounds.some((longest) => longest < 1_000)) {
      const times = await timesAfterRevoking();
      t.diagnostic(`ms until the last one that was taken: ${times.map(Math.round).join(", ")}`);
      rounds.push(Math.max(...times));
    }
    assert.ok(Math.min(...rounds) < 1_000, `longest of each round: ${rounds.map(Math.round).join(", ")} ms`);
  });

  /** For how long after the revocation each node took a request that uses a revoked key, in milliseconds. */
  async function timesAfterRevoking(): Promise<number[]> {
    const { workspaceId, projectId } = cluster.credentials;
    const apiKey = await makeKey({ workspaceId });
    const text = createKeyText("write");
    const { id } = await cluster.store.write((tx) =>
      createWriteKey(tx, workspaceId, SECRET, { text, name: "w", projectId, expiresAtMs: null }, Date.now()),
    );
    const senders = [
      ...pair("api").map((node) => async () => (await callApi(node.service(), apiKey, "GET", "/api/forms")).status),
      ...pair("ingest").map((node) => async () => {
        const event = JSON.stringify([sampleEvent("revoked-1")]);
        const headers = { authorization: `Bearer ${text}`, "content-type": "application/json" };
        return (await fetch(`${node.service().eventsUrl}/v0/events`, { method: "POST", headers, body: event })).status;
      }),
    ];
    for (const send of senders) await waitFor("the key to be known", async () => (await send()) === 200);
    let revokedAt = Number.POSITIVE_INFINITY;
    const lasted = senders.map(async (send) => {
      for (let takenAt = 0; ; await delay(20)) {
        const sentAt = performance.now();
        if ((await send()) !== 200) return takenAt - revokedAt;
        takenAt = sentAt;
      }
    });
    await cluster.store.write(async (tx) => {
      await revokeApiKey(tx, workspaceId, apiKey.id, Date.now());
      await revokeWriteKey(tx, workspaceId, id, Date.now());
    });
    revokedAt = performance.now();
    return Promise.all(lasted);
  }

  test("workers that materialize the same partitions concurrently change no report", { skip: ONLY_LONG }, async () => {
    const { maintenance } = cluster.engine;
    const materializeAll = async () => {
      const { signal } = new AbortController();
      for (const partition of await maintenance.listDirty(Date.now(), []))
        await maintenance.materialize([partition], signal);
    };
    const past = (day: number, i: number) =>
      sampleEvent(`past-${day}-${i}`, {
        channel: "server",
        original_timestamp: `2026-03-0${day}T10:00:00Z`,
        anonymous_id: `v${i % 7}`,
        context: JSON.stringify({ page_url: `https://app.example.com/?utm_source=s${i % 3}` }),
      });
    let sent = 0;
    const send = async (days: readonly number[], from: number, to: number) => {
      const events = days.flatMap((day) => Array.from({ length: to - from }, (_, i) => past(day, from + i)));
      const headers = { authorization: `Bearer ${cluster.credentials.writeKey}`, "content-type": "application/json" };
      const body = JSON.stringify(events);
      await onBoth("ingest", (node) =>
        fetch(`${node.service().eventsUrl}/v0/events`, { method: "POST", headers, body }),
      );
      sent += events.length;
      const stored = "SELECT uniqExact(message_id) AS n FROM events WHERE startsWith(message_id, 'past-')";
      await waitFor("the past to be stored", async () => (await selectNumber(cluster.engine, stored)) === sent);
    };
    const ask = (node: ClusterNode) =>
      readReport(node, "date_from=2026-03-01&date_to=2026-03-02&metric_column=utm_source");
    // Two days, whose rollups depend on each other, and then late events of the second.
    for (const [days, from, to] of [
      [[1, 2], 0, 20],
      [[2], 20, 25],
    ] as const) {
      await send(days, from, to);
      // Reports share a catalogue read for a quarter of a second: an event shows up within that of being stored.
      const dirty = await waitFor(
        "both API nodes to count what is stored",
        async () => {
          const answers = await onBoth("api", ask);
          const hits = answers.map((rows) => rows.reduce((sum, row) => sum + row.hits, 0));
          return hits.every((sum) => sum === sent) ? answers : undefined;
        },
        1_000,
      );
      await Promise.all([materializeAll(), materializeAll()]);
      assert.deepEqual(await onBoth("api", ask), dirty);
    }
    const twice = "SELECT count() - uniqExact(project_id, day, revision) AS n FROM revisions";
    assert.equal(await selectNumber(cluster.engine, twice), 0, "no two revisions have one number");
  });

  async function readReport(node: ClusterNode, query: string): Promise<{ hits: number }[]> {
    const answer = await callApi(
      node.service(),
      { text: cluster.credentials.apiKey },
      "GET",
      `/v0/top_sources?${query}`,
    );
    assert.equal(answer.status, 200, await answer.clone().text());
    return ((await answer.json()) as { data: { hits: number }[] }).data;
  }

  // Half a minute each beside an emulated ClickHouse.
  if (IS_LONG) {
    test("a rolling restart under load fails no request that is retried once on the other node", async (t) => {
      const load = await startLoad(cluster, "rolling");
      // One node of each role together, then the others: a role never lacks more than one.
      for (const index of [0, 1] as const) {
        const before = load.acknowledged();
        await waitFor("the load to get through", () => load.acknowledged() > before, 20_000);
        const ends = await Promise.all(CLUSTER_ROLES.map((role) => pair(role)[index].restart("SIGTERM")));
        assert.deepEqual(ends, [0, 0, 0], "every node ends cleanly");
      }
      const { events, submissions, reads, ...result } = await load.finish();
      t.diagnostic(`${events} events, ${submissions} submissions, ${reads} reads`);
      assert.deepEqual(load.errors, []);
      // One worker claims a delivery, so none comes twice while nothing is killed.
      assert.deepEqual(result, { ...NOTHING_LOST, repeatedDeliveries: 0 });
    });

    test("kill -9 of any one node loses no acknowledged event", async (t) => {
      const load = await startLoad(cluster, "killed");
      // The worker first: what it held comes back after the 20 s of its lease, while the others are killed.
      for (const role of ["worker", "api", "ingest"] as const) {
        const before = load.acknowledged();
        await waitFor("the load to get through", () => load.acknowledged() > before, 20_000);
        await pair(role)[0].restart("SIGKILL");
      }
      const { events, submissions, reads, repeatedDeliveries, ...result } = await load.finish();
      t.diagnostic(`${events} events, ${submissions} submissions, ${reads} reads, ${repeatedDeliveries} repeated`);
      assert.deepEqual(result, NOTHING_LOST);
    });
  }
});
