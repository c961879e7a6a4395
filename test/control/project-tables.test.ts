import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { type Kysely, sql, type TableMetadata } from "kysely";
import { CONTROL_TABLES, UNSAVED_TABLES } from "../../src/control/project-tables.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { createProject, createWorkspace, deleteProject } from "../../src/control/tenants.ts";
import { createControl } from "../support/control.ts";

type Row = Record<string, string | number | null>;
const DELETED_AT = 1_800_000_000_000;

/** The tables of a project by what deleting it does to them. */
const LISTED = Object.entries(CONTROL_TABLES).flatMap(([name, table]) =>
  "whenProjectIsDeleted" in table ? [{ name, effect: table.whenProjectIsDeleted }] : [],
);

async function useStore(t: TestContext, backend: "sqlite" | "postgres"): Promise<ControlStore> {
  const control = await createControl(backend);
  t.after(control.drop);
  return control.store;
}

async function tablesOfProjects(store: ControlStore): Promise<TableMetadata[]> {
  const tables = await store.read.introspection.getTables();
  return tables.filter(({ columns }) => columns.some(({ name }) => name === "project_id"));
}

/** A row with a value in every column that must have one. */
function rowOf(table: TableMetadata, workspaceId: string, projectId: string): Row {
  const required = table.columns.filter(({ isNullable }) => !isNullable);
  const values = required.map(({ name, dataType }) => [name, /int/i.test(dataType) ? 1 : `${name} of ${projectId}`]);
  return { ...Object.fromEntries(values), workspace_id: workspaceId, project_id: projectId };
}

async function readRow(store: ControlStore, table: string, projectId: string): Promise<Row | undefined> {
  const found = await sql<Row>`select * from ${sql.table(table)} where project_id = ${projectId}`.execute(store.read);
  return found.rows[0] && { ...found.rows[0] };
}

for (const backend of ["sqlite", "postgres"] as const)
  describe(`the list of tables on ${backend}`, () => {
    test("names every table of the schema once: in a backup, or as not needed", async (t) => {
      const store = await useStore(t, backend);
      const tables = (await store.read.introspection.getTables()).map(({ name }) => name);
      assert.deepEqual([...Object.keys(CONTROL_TABLES), ...UNSAVED_TABLES].sort(), tables.sort());
    });

    test("says for every table with a project_id what deleting the project does to it", async (t) => {
      const tables = await tablesOfProjects(await useStore(t, backend));
      assert.deepEqual(LISTED.map(({ name }) => name).sort(), tables.map(({ name }) => name).sort());
    });

    test("deleting a project does to each of its rows what the list says, and nothing to another's", async (t) => {
      const store = await useStore(t, backend);
      const { workspaceId, gone, other } = await store.write(async (tx) => {
        const { id } = await createWorkspace(tx, "w", 1);
        const [one, two] = [await createProject(tx, id, "gone", 1), await createProject(tx, id, "other", 1)];
        return { workspaceId: id, gone: one.id, other: two.id };
      });
      for (const table of await tablesOfProjects(store))
        for (const projectId of [gone, other])
          await store.write(async (tx) => {
            const db = tx as unknown as Kysely<Record<string, Row>>;
            await db
              .insertInto(table.name)
              .values(rowOf(table, workspaceId, projectId))
              .execute();
          });
      const before = new Map<string, (Row | undefined)[]>();
      for (const { name } of LISTED)
        before.set(name, [await readRow(store, name, gone), await readRow(store, name, other)]);

      assert.equal(await store.write((tx) => deleteProject(tx, workspaceId, gone, DELETED_AT)), true);

      for (const { name, effect } of LISTED) {
        const [own, others] = before.get(name) ?? [];
        assert.ok(own && others, name);
        const expected = { revoke: { ...own, revoked_at: DELETED_AT }, delete: undefined, keep: own }[effect];
        assert.deepEqual(await readRow(store, name, gone), expected, name);
        assert.deepEqual(await readRow(store, name, other), others, name);
      }
    });
  });
