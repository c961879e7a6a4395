import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { type ControlRow, readTable, refuseUsedStore } from "../../src/backup/control-tables.ts";
import type { Manifest } from "../../src/backup/manifest.ts";
import { restoreControl } from "../../src/backup/restore.ts";
import { takeBackup } from "../../src/backup/take-backup.ts";
import { findControlVersion, migrateControl, NEWEST_CONTROL } from "../../src/control/migrate.ts";
import { CONTROL_TABLES, type ControlTable } from "../../src/control/project-tables.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { createProject, createWorkspace } from "../../src/control/tenants.ts";
import type { BackendName } from "../../src/engines/control.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { sampled } from "../../src/lib/testing.ts";
import { createControl, createEmptyControl } from "../support/control.ts";
import { STORES } from "../support/stores.ts";

const nothing = () => Promise.reject(new Error("there is nothing to read"));
/** A warehouse without tables: this test is about the control store. */
const emptyEngine = { select: nothing, openBatchStore: nothing, schema: { version: async () => 0 } };

/** Of the tables that its schema has. */
async function readAll(store: ControlStore): Promise<Record<string, ControlRow[]>> {
  const all: Record<string, ControlRow[]> = {};
  const there = (await store.read.introspection.getTables()).map(({ name }) => name);
  for (const table of Object.keys(CONTROL_TABLES) as ControlTable[]) {
    if (!there.includes(table)) continue;
    all[table] = [];
    for await (const page of readTable(store.read, table)) all[table].push(...page.map((row) => ({ ...row })));
    all[table].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return all;
}

/** More projects than a page, and texts that a format could stumble over. */
async function fill(store: ControlStore, projects = 503): Promise<void> {
  await store.write(async (tx) => {
    const workspace = await createWorkspace(tx, 'Zoë\'s \\ "team"\n\u2028', 1_700_000_000_000);
    // Columns that every schema has had.
    for (let i = 0; i < projects; i += 1) {
      const own = { id: `prj_${String(i).padStart(24, "0")}`, name: `p${i} 💡`, created_at: 1_700_000_000_000 + i };
      await tx
        .insertInto("projects")
        .values({ ...own, workspace_id: workspace.id })
        .execute();
    }
    await tx.insertInto("installation").values({ id: "this", secret_check: "x" }).execute();
  });
}

function save(store: ControlStore, dir: string): Promise<Manifest> {
  const places = { log: join(dir, "none"), cursor: join(dir, "none"), nodeId: join(dir, "none") };
  return takeBackup(
    { places, store, engine: emptyEngine, engineName: "duckdb", secret: "setting" },
    { dir: join(dir, "b"), version: "0", nowMs: 0, onProgress: () => undefined },
  );
}

/** A directory for a backup, removed with the stores when the test ends. */
function useDir(t: TestContext, ...stores: readonly { drop(): Promise<void> }[]): string {
  const dir = mkdtempSync(join(tmpdir(), "backup-"));
  t.after(async () => {
    for (const store of stores) await store.drop();
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}

/** The first, the last and some between them, in a long run all; on PostgreSQL, where each takes seconds, the last. */
function olderVersions(store: BackendName): readonly number[] {
  const last = NEWEST_CONTROL - 1;
  const between = Array.from({ length: last - 2 }, (_, at) => at + 2);
  return store === "sqlite" ? [1, ...sampled(between, 2), last] : [last];
}

/** A column that a migration added is left out: `rows` with the columns that `older` has. */
function asBefore(rows: readonly ControlRow[], older: readonly ControlRow[]): ControlRow[] {
  const columns = Object.keys(older[0] ?? {});
  return rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? null])));
}

describe("the control store in a backup", () => {
  test("a restore with fewer rows than the manifest counts is refused and leaves no row", async (t) => {
    const [source, target] = [await createControl("sqlite"), await createEmptyControl("sqlite")];
    const dir = useDir(t, source, target);
    await fill(source.store);
    const manifest = await save(source.store, dir);
    for (const file of manifest.files) if (file.table === "projects") file.rows = 504;
    await assert.rejects(
      restoreControl({ dir: join(dir, "b"), manifest }, target.store, systemClock, () => undefined),
      { name: "BackupError", message: "the backup is damaged: it contains 503 of 504 rows of projects" },
    );
    assert.deepEqual((await readAll(target.store)).workspaces, []);
  });

  for (const from of STORES) {
    for (const to of STORES) {
      test(`every row saved on ${from} is the same when restored on ${to}`, async (t) => {
        const [source, target] = [await createControl(from), await createEmptyControl(to)];
        const dir = useDir(t, source, target);
        await fill(source.store);
        const manifest = await save(source.store, dir);
        assert.equal(manifest.control.rows.projects, 503);
        await refuseUsedStore(target.store);
        const counts = await restoreControl(
          { dir: join(dir, "b"), manifest },
          target.store,
          systemClock,
          () => undefined,
        );
        assert.deepEqual(counts, manifest.control.rows);
        assert.deepEqual(await readAll(target.store), await readAll(source.store));
        await assert.rejects(refuseUsedStore(target.store), /is already in use/);
      });
    }

    test(`a backup on ${from} of an older schema changes nothing, and its restore equals an upgrade`, async (t) => {
      for (const version of olderVersions(from)) {
        const [source, target] = [await createEmptyControl(from), await createEmptyControl(from)];
        const dir = useDir(t, source, target);
        await migrateControl(source.store, systemClock, version);
        await fill(source.store, 3);
        const before = await readAll(source.store);
        const manifest = await save(source.store, dir);
        assert.equal(manifest.control.schema, version);
        assert.equal(await findControlVersion(source.store.read), version);
        assert.deepEqual(Object.keys(manifest.control.rows), Object.keys(before));

        await migrateControl(source.store, systemClock);
        let now = 1;
        let filledAt = 0;
        const clock = { nowMs: () => now++ };
        await restoreControl({ dir: join(dir, "b"), manifest }, target.store, clock, () => {
          filledAt ||= now++;
        });
        const steps = await target.store.read.selectFrom("schema_migrations").selectAll().execute();
        for (const step of steps) assert.equal(step.applied_at < filledAt, step.version <= version, step.name);
        const upgraded = await readAll(source.store);
        assert.deepEqual(Object.keys(upgraded), Object.keys(CONTROL_TABLES));
        assert.deepEqual(await readAll(target.store), upgraded);
        for (const [table, rows] of Object.entries(before))
          assert.deepEqual(asBefore(upgraded[table] ?? [], rows), rows, table);
      }
    });

    test(`a backup on ${from} is a snapshot: concurrent writes are in it entirely or not at all`, async (t) => {
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
