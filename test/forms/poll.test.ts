import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { ControlStore } from "../../src/control/store.ts";
import { startApi } from "../support/api.ts";
import { callApi, makeForm, pollItems, sendJson } from "../support/forms.ts";
import { drawnStores } from "../support/stores.ts";

const SUBMISSIONS = 200_000;
/** All of them in one statement come near the store's statement timeout on a machine that is busy. */
const SLICE = 20_000;
const P99_MS = 50;
const POLLS = 200;
/** Other tests share the machine: a poll of a form with ten submissions, in turn with it, tells what all polls take. */
const TIMES_FLOOR = 3;
const ROUNDS = 10;

/** A few seconds between them, some of them spam, a paragraph of text in each. */
async function insertMany(store: ControlStore, workspaceId: string, formId: string): Promise<void> {
  const item = JSON.stringify({ name: "Ada", message: "x".repeat(300) });
  for (let from = 0; from < SUBMISSIONS; from += SLICE) {
    await store.write(async (tx) => {
      await sql`
        insert into submissions (id, workspace_id, form_id, submitted_at, item, token_hash, spam, spam_reason)
        with recursive n(i) as (select ${sql.lit(from)} union all select i + 1 from n where i < ${sql.lit(from + SLICE - 1)})
        select 'sub_' || i, ${sql.lit(workspaceId)}, ${sql.lit(formId)}, 1700000000000 + i * 5000, ${sql.lit(item)}, null,
          case when i % 10 = 0 then 1 else 0 end, case when i % 10 = 0 then 'honeypot' end
        from n`.execute(tx);
    });
  }
}

/** The p99 of each, measured in turn. */
async function measureP99(...polls: (() => Promise<void>)[]): Promise<number[]> {
  const took: number[][] = polls.map(() => []);
  for (let i = 0; i < POLLS; i += 1)
    for (const [at, poll] of polls.entries()) {
      const from = performance.now();
      await poll();
      took[at]?.push(performance.now() - from);
    }
  return took.map((all) => all.sort((a, b) => a - b)[Math.ceil(POLLS * 0.99) - 1] ?? Number.POSITIVE_INFINITY);
}

for (const backend of drawnStores(import.meta.filename)) {
  describe(`a form with 200,000 submissions on ${backend}`, () => {
    test("poll returns the ten newest with a p99 of at most 50 ms, before any statistics are gathered", async (t) => {
      const api = await startApi(backend, {}, []);
      t.after(() => api.stop());
      const key = await api.createKey();
      const form = await makeForm(api, key);
      await insertMany(api.store, key.workspaceId, form.id);
      await sendJson(api, (await makeForm(api, key)).id, { name: "Grace" });
      const newest = Array.from({ length: 20 }, (_, i) => SUBMISSIONS - 1 - i).filter((i) => i % 10 !== 0);
      const expected = newest.slice(0, 10).map((i) => `sub_${i}`);
      const poll = async () => {
        const ids = (await pollItems(api, key, form.id)).map((item) => item.submissionId);
        assert.deepEqual(ids, expected);
      };
      const small = await makeForm(api, key);
      for (let i = 0; i < 10; i += 1) await sendJson(api, small.id, { name: "Ada" });
      const pollSmall = async () => assert.equal((await pollItems(api, key, small.id)).length, 10);
      const rounds: string[] = [];
      let isFast = false;
      for (let round = 0; round < ROUNDS && !isFast; round += 1) {
        const [p99 = 0, floor = 0] = await measureP99(poll, pollSmall);
        rounds.push(`${p99.toFixed(1)} ms, with ten submissions ${floor.toFixed(1)} ms`);
        isFast = p99 <= Math.max(P99_MS, TIMES_FLOOR * floor);
      }
      t.diagnostic(`p99 ${rounds.at(-1)}`);
      assert.ok(isFast, `p99 ${rounds.join("; ")}`);
      const page = await callApi(api, key, "GET", `/api/forms/${form.id}/submissions?size=5&page=3`);
      assert.equal(((await page.json()) as { total: number }).total, SUBMISSIONS * 0.9);
    });
  });
}
