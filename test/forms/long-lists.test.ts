import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { FORM_LIMITS } from "../../src/contract/forms.ts";
import { WEBHOOK_LIMITS } from "../../src/contract/webhooks.ts";
import { createTurns } from "../../src/control/long-list.ts";
import type { Tx } from "../../src/control/store.ts";
import { getFormPage, getSubmissionPage } from "../../src/forms/manage.ts";
import { purgeSubmissions } from "../../src/forms/submissions.ts";
import { inSomeRound } from "../../src/lib/testing.ts";
import { viewDeliveries } from "../../src/webhooks/views.ts";
import type { TestApi, TestKey } from "../support/api.ts";
import { startApi } from "../support/api.ts";
import { callApi, makeForm, sendJson } from "../support/forms.ts";
import { startStopwatch } from "../support/held-loop.ts";

/** A million with TEST_LONG_LIST=1000000, where no step may hold the event loop for more than 20 ms. */
const LONG = Number(process.env.TEST_LONG_LIST ?? 100_000);
const SHORT = 500;
const noTurn = async (): Promise<void> => undefined;
const padded = (prefix: string, i: number) => `${prefix}_${String(i).padStart(22, "0")}`;

async function fillForm(tx: Tx, workspaceId: string, formId: string, count: number): Promise<void> {
  await sql`with recursive c(i) as (select 1 union all select i + 1 from c where i < ${count})
    insert into submissions (id, workspace_id, form_id, submitted_at, item, token_hash, spam, spam_reason)
    select 'sub_' || printf('%022d', i + ${count} * 10), ${workspaceId}, ${formId},
      1700000000000 + i / 3, '{"name":"x"}', null, 0, null from c`.execute(tx);
}

async function fillWebhook(tx: Tx, workspaceId: string, webhookId: string, count: number): Promise<void> {
  await sql`with recursive c(i) as (select 1 union all select i + 1 from c where i < ${count})
    insert into deliveries (id, workspace_id, webhook_id, event_type, sequence, payload, state, tier, due_at, tries,
      attempts, created_at)
    select 'dlv_' || printf('%022d', i + ${count} * 10), ${workspaceId}, ${webhookId}, 'FORM_SUBMISSION', i, '{}',
      'delivered', 1, 0, 1, 1, ${Date.now()} from c`.execute(tx);
}

/** With seven a test failed on two cores that had ten times as much to do. */
const RUNS = 20;

/** The longest stretch without a turn. Each stretch is the best of many calls: noise only adds. */
async function longestStretch(read: (takeTurn: () => Promise<void>) => Promise<unknown>): Promise<number> {
  const best: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    let at = 0;
    let sinceTurn = startStopwatch();
    const mark = () => {
      best[at] = Math.min(best[at] ?? Number.POSITIVE_INFINITY, sinceTurn());
      at += 1;
      sinceTurn = startStopwatch();
    };
    await read(async () => mark());
    mark();
  }
  return Math.max(...best);
}

describe("a list of many entries", () => {
  let api: TestApi;
  let key: TestKey;
  const forms = { long: "", short: "" };
  const webhooks = { long: "", short: "" };
  before(async () => {
    api = await startApi("sqlite", {}, []);
    key = await api.createKey();
    for (const [name, count] of [
      ["long", LONG],
      ["short", SHORT],
    ] as const) {
      forms[name] = (await makeForm(api, key)).id;
      const wanted = { formId: forms[name], targetUrl: "http://127.0.0.1:1/", eventTypes: ["FORM_SUBMISSION"] };
      const made = await callApi(api, key, "POST", "/api/webhooks", wanted);
      webhooks[name] = ((await made.json()) as { data: { webhookId: string } }).data.webhookId;
      await api.store.write(async (tx) => {
        await fillForm(tx, key.workspaceId, forms[name], count);
        await fillWebhook(tx, key.workspaceId, webhooks[name], count);
      });
    }
  });
  after(() => api.stop());

  const submissions = (name: "long" | "short", page: number, size: number, takeTurn = noTurn) =>
    getSubmissionPage(api.store.read, key.workspaceId, forms[name], { page, size, spam: false }, takeTurn);
  const deliveries = (name: "long" | "short", page: number, size: number, takeTurn = noTurn) =>
    viewDeliveries(api.store.read, key.workspaceId, webhooks[name], { page, size }, takeTurn);

  test("has the same entries on every page, and the same total", async () => {
    const last = LONG / 100;
    for (const page of [1, 2, 50, 51, 52, 101, last / 2, last, last + 1, 100_000]) {
      const first = LONG - (page - 1) * 100;
      const numbers = Array.from({ length: first > 0 ? 100 : 0 }, (_, i) => first - i);
      const found = await submissions("long", page, 100);
      assert.deepEqual(
        found.data.map(({ id }) => id),
        numbers.map((i) => padded("sub", i + LONG * 10)),
      );
      assert.deepEqual([found.total, found.page, found.size, found.has_more], [LONG, page, 100, page < last]);
      const sent = await deliveries("long", page, 100);
      assert.deepEqual(
        sent.data.map(({ sequence }) => sequence),
        numbers,
      );
      assert.deepEqual([sent.total, sent.has_more], [LONG, page < last]);
    }
  });

  for (const [name, read] of [
    ["submissions", submissions],
    ["deliveries", deliveries],
  ] as const) {
    test(`of ${name} holds the event loop no longer than a short one`, async () => {
      const places = { first: 1, middle: LONG / 400, last: LONG / 200, beyond: 100_000 };
      for (const [place, page] of Object.entries(places))
        await inSomeRound(5, async () => {
          const short = await longestStretch((turn) => read("short", 1, 200, turn));
          const long = await longestStretch((turn) => read("long", page, 200, turn));
          // A step of 2,500 entries costs about twice as much as a page of 200.
          assert.ok(long < 6 * short, `${place} page: ${long} ms against ${short} ms`);
          if (LONG >= 1_000_000) assert.ok(long < 20, `${place} page: ${long} ms`);
        });
    });
  }

  test("lets other requests in between its steps, and refuses too many readers at once", async () => {
    const takeTurn = createTurns();
    const reads = Array.from({ length: 40 }, () => submissions("long", LONG / 100, 100, () => takeTurn("ws")));
    const done = await Promise.allSettled(reads);
    const refused = done.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    assert.ok(refused.length > 0 && refused.length < 30, `${refused.length} of 40 are refused`);
    assert.ok(refused.every((reason) => reason.includes("Too many long lists")));
  });
});

test("a workspace with all the forms and webhooks it may have gets no more, and lists them as fast as few", async (t) => {
  const api = await startApi("sqlite", {}, []);
  t.after(() => api.stop());
  const [key, other] = [await api.createKey(), await api.createKey()];
  const form = await makeForm(api, key);
  const body = { formId: form.id, targetUrl: "http://127.0.0.1:1/", eventTypes: ["FORM_SUBMISSION"] };
  assert.equal((await callApi(api, key, "POST", "/api/webhooks", body)).status, 201);
  await api.store.write(async (tx) => {
    await sql`with recursive c(i) as (select 1 union all select i + 1 from c where i < ${FORM_LIMITS.perWorkspace - 1})
      insert into forms select 'frm_' || printf('%022d', i), workspace_id, title, description, fields, version,
        created_at - i, updated_at, null from c, forms where id = ${form.id}`.execute(tx);
    const [columns] = (
      await sql<{ names: string }>`select group_concat(name, ', ') as names
      from pragma_table_info('webhooks') where name not in ('id', 'target_url', 'source_id', 'created_at')`.execute(tx)
    ).rows;
    await sql`with recursive c(i) as (select 1 union all select i + 1 from c where i < ${WEBHOOK_LIMITS.perWorkspace - 1})
      insert into webhooks (id, target_url, source_id, created_at, ${sql.raw(columns?.names ?? "")})
      select 'whk_' || printf('%022d', i), 'http://127.0.0.1:1/' || i, 'frm_' || printf('%022d', 1 + i / 20),
        created_at + i, ${sql.raw(columns?.names ?? "")} from c, webhooks`.execute(tx);
  });
  const wanted = { title: "One more", fields: [{ label: "Name", type: "short_text" }] };
  const refusals = {
    forms: await callApi(api, key, "POST", "/api/forms", wanted),
    webhooks: await callApi(api, key, "POST", "/api/webhooks", { ...body, targetUrl: "http://127.0.0.1:2/" }),
  };
  for (const [what, refused] of Object.entries(refusals)) {
    assert.equal(refused.status, 400);
    assert.match(((await refused.json()) as { message: string }).message, new RegExp(`at most 10000 ${what}`));
  }
  assert.equal((await callApi(api, other, "POST", "/api/forms", wanted)).status, 201);
  for (const path of ["/api/forms", "/api/webhooks"]) {
    const list = (await (await callApi(api, key, "GET", `${path}?page=50&size=200`)).json()) as ListBody;
    assert.deepEqual([list.data.length, list.total, list.has_more], [200, 10_000, false]);
  }
  const { read } = api.store;
  await inSomeRound(5, async () => {
    const first = await longestStretch(() => getFormPage(read, key.workspaceId, { page: 1, size: 200 }));
    const last = await longestStretch(() => getFormPage(read, key.workspaceId, { page: 50, size: 200 }));
    assert.ok(last < 6 * first, `${last} ms against ${first} ms`);
  });
});

interface ListBody {
  data: unknown[];
  total: number;
  has_more: boolean;
}

for (const backend of ["sqlite", "postgres"] as const) {
  test(`the total of a list follows what is stored and erased on ${backend}`, async (t) => {
    const api = await startApi(backend, {}, []);
    t.after(() => api.stop());
    const key = await api.createKey();
    const form = await makeForm(api, key);
    const read = (spam: boolean) =>
      getSubmissionPage(api.store.read, key.workspaceId, form.id, { page: 1, size: 50, spam }, noTurn);
    const totals = async () => [(await read(false)).total, (await read(true)).total];
    assert.deepEqual(await totals(), [0, 0]);
    for (let i = 0; i < 3; i += 1) assert.equal((await sendJson(api, form.id, { name: "Ada" })).status, 201);
    const old = { id: padded("sub", 1), workspace_id: key.workspaceId, form_id: form.id, submitted_at: 0, item: "{}" };
    const spam = { token_hash: null, spam: 1, spam_reason: "honeypot" };
    await api.store.write((tx) =>
      tx
        .insertInto("submissions")
        .values({ ...old, ...spam })
        .execute(),
    );
    assert.deepEqual(await totals(), [3, 1]);
    await purgeSubmissions(api.store, Date.now());
    assert.deepEqual(await totals(), [3, 0]);
    const lost = api.store.write(async (tx) => {
      await tx
        .insertInto("submissions")
        .values({ ...old, ...spam })
        .execute();
      throw new Error("rolled back");
    });
    await assert.rejects(lost, /rolled back/);
    assert.deepEqual(await totals(), [3, 0]);
    const many = Array.from({ length: 1_200 }, (_, i) => ({ ...old, ...spam, id: padded("sub", i) }));
    for (let from = 0; from < many.length; from += 400)
      await api.store.write((tx) =>
        tx
          .insertInto("submissions")
          .values(many.slice(from, from + 400))
          .execute(),
      );
    const steps = [];
    for (let i = 0; i < 3; i += 1) steps.push(await purgeSubmissions(api.store, Date.now()));
    assert.deepEqual(steps, [1_000, 200, 0], "one call is one step, so that the job can rest in between");
  });
}
