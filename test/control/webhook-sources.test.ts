import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Kysely, sql } from "kysely";
import { restoreControl } from "../../src/backup/restore.ts";
import { takeBackup } from "../../src/backup/take-backup.ts";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createEmptyControl } from "../support/control.ts";

type Row = Record<string, string | number | null>;
/** The last schema in which a subscription was to a form. */
const OF_FORMS = 15;
const MADE_AT = 1_700_000_000_000;

const WEBHOOK = {
  id: "whk_1",
  workspace_id: "wsp_1",
  target_url: "https://example.com/a",
  target_origin: "https://example.com",
  event_types: 3,
  status: "active",
  status_reason: null,
  status_since: MADE_AT,
  secret: "sealed",
  previous_secret: null,
  previous_secret_until: null,
  next_sequence: 2,
  next_due_at: 0,
  last_success_at: null,
  last_failure_at: null,
  failing_since: null,
  failures: 0,
  created_at: MADE_AT,
  updated_at: MADE_AT,
  deleted_at: null,
};

async function fill(store: ControlStore): Promise<void> {
  const times = { created_at: MADE_AT, updated_at: MADE_AT };
  const rows: [string, Row][] = [
    ["installation", { id: "this", secret_check: "x" }],
    ["workspaces", { id: "wsp_1", name: "w", created_at: MADE_AT }],
    ["forms", { id: "frm_1", workspace_id: "wsp_1", title: "t", description: "", fields: "[]", version: 1, ...times }],
    ["webhooks", { ...WEBHOOK, form_id: "frm_1" }],
    ["webhooks", { ...WEBHOOK, id: "whk_2", form_id: "frm_1", deleted_at: MADE_AT }],
    ["deliveries", deliveryOf("dlv_1", "whk_1")],
    ["deliveries", deliveryOf("dlv_2", "whk_2")],
  ];
  await store.write(async (tx) => {
    const db = tx as unknown as Kysely<Record<string, Row>>;
    for (const [table, row] of rows) await db.insertInto(table).values(row).execute();
  });
}

function deliveryOf(id: string, webhookId: string): Row {
  const places = { id, workspace_id: "wsp_1", webhook_id: webhookId, event_type: "FORM_UPDATED", sequence: 1 };
  const state = { state: "pending", tier: 0, due_at: MADE_AT, tries: 0, attempts: 0, created_at: MADE_AT };
  return { ...places, payload: "{}", ...state };
}

async function readAll(store: ControlStore, table: string): Promise<Row[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} order by id`.execute(store.read);
  return rows.map((row) => ({ ...row }));
}

function assertKept(webhooks: readonly Row[]): void {
  const now = { ...WEBHOOK, source_kind: "form", source_id: "frm_1", style: "standard_webhooks" };
  assert.deepEqual(webhooks, [now, { ...now, id: "whk_2", deleted_at: MADE_AT }]);
}

describe("webhooks of the time when only forms had them", () => {
  for (const backend of ["sqlite", "postgres"] as const)
    test(`an upgrade and a restored backup on ${backend} keep each with its form and its deliveries`, async (t) => {
      const [source, target] = [await createEmptyControl(backend), await createEmptyControl(backend)];
      const dir = mkdtempSync(join(tmpdir(), "backup-"));
      t.after(async () => {
        await source.drop();
        await target.drop();
        rmSync(dir, { recursive: true, force: true });
      });
      await migrateControl(source.store, systemClock, OF_FORMS);
      await fill(source.store);
      const deliveries = await readAll(source.store, "deliveries");
      const none = join(dir, "none");
      const nothing = () => Promise.reject(new Error("there is nothing to read"));
      const engine = { select: nothing, openBatchStore: nothing, schema: { version: async () => 0 } };
      const manifest = await takeBackup(
        {
          places: { log: none, cursor: none, nodeId: none },
          store: source.store,
          engine,
          engineName: "duckdb",
          secret: "setting",
        },
        { dir: join(dir, "b"), version: "0", nowMs: 0, onProgress: () => undefined },
      );

      await migrateControl(source.store, systemClock);
      await restoreControl({ dir: join(dir, "b"), manifest }, target.store, systemClock, () => undefined);

      for (const { store } of [source, target]) {
        assertKept(await readAll(store, "webhooks"));
        // No firing of an alert caused them.
        assert.deepEqual(
          await readAll(store, "deliveries"),
          deliveries.map((row) => ({ ...row, cause_id: null })),
        );
      }
    });
});
