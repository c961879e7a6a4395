import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { callApi, makeForm, sendJson } from "../support/forms.ts";

/** Simulates a full disk: the file may not grow by another page. */
async function fillStore({ store }: TestApi): Promise<void> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.read);
  await limitPages(store, rows[0]?.page_count ?? 0);
}

async function limitPages(store: TestApi["store"], pages: number): Promise<void> {
  await store.write((tx) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(tx));
}

/** Repeats until a write is refused, because the first ones may fit into existing pages. */
async function submitUntilRefused(api: TestApi, formId: string): Promise<number> {
  for (let i = 0; i < 500; i += 1) {
    const { status } = await sendJson(api, formId, { name: `${i} ${"x".repeat(900)}` });
    if (status !== 201) return status;
  }
  return 201;
}

describe("a control store that is full", () => {
  let api: TestApi;
  let key: TestKey;
  before(async () => {
    api = await startApi("sqlite");
    key = await api.createKey();
  });
  after(() => api.stop());
  const readiness = async () => (await fetch(`${api.opsUrl}/readyz`)).json() as Promise<Record<string, unknown>>;

  test("refuses writes with 503, is reported by readiness, and recovers by itself", async () => {
    const form = await makeForm(api, key);
    await fillStore(api);
    assert.equal(await submitUntilRefused(api, form.id), 503);
    assert.match(JSON.stringify(await readiness()), /control store.*takes no writes: the disk is full/);
    assert.equal((await callApi(api, key, "GET", `/api/forms/${form.id}`)).status, 200, "reads go on");
    await limitPages(api.store, 1_000_000);
    assert.match(JSON.stringify(await readiness()), /"status":"ready"/);
    assert.equal((await sendJson(api, form.id, { name: "Ada" })).status, 201);
  });
});
