import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { TestApi } from "../support/api.ts";
import { callApi, makeForm, sendJson } from "../support/forms.ts";
import { useApi } from "../support/use-api.ts";

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
  const suite = useApi("sqlite");
  const readiness = async () => (await fetch(`${suite.api.opsUrl}/readyz`)).json() as Promise<Record<string, unknown>>;

  test("refuses writes with 503, is reported by readiness, and recovers by itself", async () => {
    const { api, key } = suite;
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
