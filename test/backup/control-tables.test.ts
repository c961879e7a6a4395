import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  CONTROL_TABLES,
  type ControlRow,
  type ControlTable,
  readTable,
  refuseUsedStore,
  UNSAVED_TABLES,
} from "../../src/backup/control-tables.ts";
import { restoreControl } from "../../src/backup/restore.ts";
import { takeBackup } from "../../src/backup/take-backup.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { createProject, createWorkspace } from "../../src/control/tenants.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createControl, createEmptyControl } from "../support/control.ts";

const BACKENDS = ["sqlite", "postgres"] as const;
const emptyEngine = {
  async *select() {
    // A warehouse without rows: this test is about the control store.
  },
  selectRaw: () => Promise.reject(new Error("nothing to read")),
  selectJson: async () => ({ meta: [], data: [], rows: 0, statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } }),
};

async function readAll(store: ControlStore): Promise<Record<string, ControlRow[]>> {
  const all: Record<string, ControlRow[]> = {};
  for (const table of Object.keys(CONTROL_TABLES) as ControlTable[]) {
    all[table] = [];
    for await (const page of readTable(store.read, table)) all[table].push(...page.map((row) => ({ ...row })));
    all[table].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return all;
}

/** More projects than a page, and texts that a format could stumble over. */
async function fill(store: ControlStore): Promise<void> {
  await store.write(async (tx) => {
    const workspace = await createWorkspace(tx, 'Zoë\'s \\ "team"\n\u2028', 1_700_000_000_000);
    for (let i = 0; i < 503; i += 1) await createProject(tx, workspace.id, `p${i} 💡`, 1_700_000_000_000 + i);
    await tx.insertInto("installation").values({ id: "this", secret_check: "x" }).execute();
  });
}

describe("the control store in a backup", () => {
  test("every table is saved, or stands among those that need not be", async () => {
    const control = await createControl("sqlite");
    const tables = (await control.store.read.introspection.getTables()).map(({ name }) => name);
    await control.drop();
    assert.deepEqual([...Object.keys(CONTROL_TABLES), ...UNSAVED_TABLES].sort(), tables.sort());
  });

  for (const from of BACKENDS) {
    for (const to of BACKENDS) {
      test(`saved on ${from} and restored on ${to}, every row is the same`, async (t) => {
        const [source, target] = [await createControl(from), await createEmptyControl(to)];
        const dir = mkdtempSync(join(tmpdir(), "backup-"));
        t.after(async () => {
          await source.drop();
          await target.drop();
          rmSync(dir, { recursive: true, force: true });
        });
        await fill(source.store);
        const places = { log: join(dir, "none"), cursor: join(dir, "none"), nodeId: join(dir, "none") };
        const manifest = await takeBackup(
          { places, store: source.store, engine: emptyEngine, database: "x", secret: "setting" },
          { dir: join(dir, "b"), version: "0", nowMs: 0, onProgress: () => undefined },
        );
        assert.equal(manifest.control.rows.projects, 503);
        await refuseUsedStore(target.store);
        await restoreControl({ dir: join(dir, "b"), manifest }, target.store, systemClock, () => undefined);
        assert.deepEqual(await readAll(target.store), await readAll(source.store));
        await assert.rejects(refuseUsedStore(target.store), /is in use already/);
      });
    }

    test(`a backup on ${from} is of one moment: what is written meanwhile is not half in it`, async (t) => {
      const control = await createControl(from);
      t.after(control.drop);
      await fill(control.store);
      const writer = await control.again();
      const seen = await control.store.snapshot(async (tx) => {
        let projects = 0;
        for await (const page of readTable(tx, "projects")) {
          if (projects === 0) await writer.write((other) => createWorkspaceAndProject(other));
          projects += page.length;
        }
        let workspaces = 0;
        for await (const page of readTable(tx, "workspaces")) workspaces += page.length;
        return { projects, workspaces };
      });
      assert.deepEqual(seen, { projects: 503, workspaces: 1 });
    });
  }
});

async function createWorkspaceAndProject(tx: Parameters<typeof createWorkspace>[0]): Promise<void> {
  const workspace = await createWorkspace(tx, "Late", 1);
  await createProject(tx, workspace.id, "late", 1);
}
