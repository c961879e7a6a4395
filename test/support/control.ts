import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import type { ControlStore } from "../../src/control/store.ts";
import type { BackendName } from "../../src/engines/control.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { openSqlite } from "../../src/engines/control-sqlite.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createDatabase } from "./postgres.ts";
import { createProxy } from "./tcp-proxy.ts";

export const quietLog = { warn: () => undefined };

export interface TestControl {
  store: ControlStore;
  /** Opens another connection to the same store, like another node or a command beside the service. */
  again(): Promise<ControlStore>;
  drop(): Promise<void>;
}

/** A fresh, migrated control store on either backend. */
export async function createControl(name: BackendName): Promise<TestControl> {
  const control = await createEmptyControl(name);
  await migrateControl(control.store, systemClock);
  return control;
}

/** An empty store without a schema. */
export async function createEmptyControl(name: BackendName): Promise<TestControl> {
  const place = name === "sqlite" ? sqlitePlace() : await postgresPlace();
  const opened: ControlStore[] = [];
  const again = async () => {
    const store = await place.open();
    opened.push(store);
    return store;
  };
  const store = await again();
  return {
    store,
    again,
    async drop() {
      for (const one of opened) await one.close();
      await place.drop();
    },
  };
}

function sqlitePlace() {
  const dir = mkdtempSync(join(tmpdir(), "control-"));
  return {
    open: async () => openSqlite<ControlSchema>(join(dir, "control.sqlite")),
    drop: async () => rmSync(dir, { recursive: true, force: true }),
  };
}

async function postgresPlace() {
  const database = await createDatabase();
  return { open: () => openPostgres<ControlSchema>(database.url, quietLog), drop: database.drop };
}

/** A PostgreSQL store behind a connection that the test can cut. */
export async function createCuttableControl(): Promise<TestControl & { cut(): void; mend(): void }> {
  const database = await createDatabase();
  const url = new URL(database.url);
  const proxy = await createProxy(url.hostname, Number(url.port));
  url.port = String(proxy.port);
  const store = await openPostgres<ControlSchema>(url.href, quietLog);
  await migrateControl(store, systemClock);
  return {
    store,
    again: () => openPostgres<ControlSchema>(url.href, quietLog),
    cut: proxy.cut,
    mend: proxy.mend,
    async drop() {
      await store.close();
      await proxy.close();
      await database.drop();
    },
  };
}
