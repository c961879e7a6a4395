import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
import { hasSharedPostgres } from "./shared-postgres.ts";
import { createProxy } from "./tcp-proxy.ts";

export const quietLog = { warn: () => undefined };

export interface TestControl {
  store: ControlStore;
  /** Opens another connection to the same store, like another node or a command beside the service. */
  again(): Promise<ControlStore>;
  drop(): Promise<void>;
}

/** What a place begins with: the bytes of a file, or the name of a database. */
interface Template {
  sqlite?: Promise<Buffer>;
  postgres?: Promise<string>;
}

/** Stores are copies of one that was migrated once in this process: 60 ms less of processor each, on PostgreSQL 200. */
const migrated: Template = {};

/** A fresh, migrated control store on either backend. */
export async function createControl(name: BackendName): Promise<TestControl> {
  if (name === "sqlite") {
    migrated.sqlite ??= makeMigratedFile();
    return openPlace(sqlitePlace(await migrated.sqlite));
  }
  if (!hasSharedPostgres()) {
    const control = await createEmptyControl(name);
    await migrateControl(control.store, systemClock);
    return control;
  }
  migrated.postgres ??= makeMigratedDatabase();
  return openPlace(await postgresPlace(await migrated.postgres));
}

async function makeMigratedFile(): Promise<Buffer> {
  const place = sqlitePlace();
  const store = await place.open();
  await migrateControl(store, systemClock);
  await store.close();
  const bytes = readFileSync(place.file);
  await place.drop();
  return bytes;
}

/** It stays until the server ends with the run. */
async function makeMigratedDatabase(): Promise<string> {
  const { url } = await createDatabase();
  const store = await openPostgres<ControlSchema>(url, quietLog);
  await migrateControl(store, systemClock);
  await store.close();
  return new URL(url).pathname.slice(1);
}

/** An empty store without a schema. */
export async function createEmptyControl(name: BackendName): Promise<TestControl> {
  return openPlace(name === "sqlite" ? sqlitePlace() : await postgresPlace());
}

async function openPlace(place: Place): Promise<TestControl> {
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

interface Place {
  open(): Promise<ControlStore>;
  drop(): Promise<void>;
}

function sqlitePlace(bytes?: Buffer): Place & { readonly file: string } {
  const dir = mkdtempSync(join(tmpdir(), "control-"));
  const file = join(dir, "control.sqlite");
  if (bytes !== undefined) writeFileSync(file, bytes);
  return {
    file,
    open: async () => openSqlite<ControlSchema>(file),
    drop: async () => rmSync(dir, { recursive: true, force: true }),
  };
}

async function postgresPlace(template?: string): Promise<Place> {
  const database = await createDatabase(template);
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
