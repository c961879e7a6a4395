import type { Kysely, Transaction } from "kysely";
import { type ControlEngine, ControlOpenError } from "../engines/control.ts";
import type { Clock } from "../lib/clock.ts";
import { lockStart } from "./lock-start.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import type { ControlSchema } from "./schema.ts";

/** The newest schema of this version. */
export const NEWEST_CONTROL = MIGRATIONS.at(-1)?.version ?? 0;

/** Migrates the store to the newest schema, or to `upTo`, in one transaction. */
export async function migrateControl(
  engine: ControlEngine<ControlSchema>,
  clock: Clock,
  upTo = NEWEST_CONTROL,
): Promise<void> {
  await engine.upgrade(async (tx) => {
    await lockStart(engine.backend, tx);
    const applied = await readVersion(tx);
    refuseNewer(applied);
    for (const migration of MIGRATIONS) {
      if (migration.version <= applied || migration.version > upTo) continue;
      await migration.up(tx as unknown as Transaction<unknown>, engine.backend);
      await tx
        .insertInto("schema_migrations")
        .values({ version: migration.version, name: migration.name, applied_at: clock.nowMs() })
        .execute();
    }
  });
}

/**
 * For commands, which leave migrations to the service: an older service may be running, and a migration cannot be
 * undone.
 */
export function refuseUnfit(applied: number, older: "accepted" | "refused"): void {
  refuseNewer(applied);
  if (applied === 0) throw new ControlOpenError("the control store is empty: start the service once");
  if (applied < NEWEST_CONTROL && older === "refused")
    throw new ControlOpenError(
      `the control store has schema version ${applied}, this Sextant needs ${NEWEST_CONTROL}: ` +
        "start the service, it upgrades by itself",
    );
}

function refuseNewer(applied: number): void {
  if (applied > NEWEST_CONTROL)
    throw new ControlOpenError(
      `the control store has schema version ${applied}, this Sextant knows ${NEWEST_CONTROL}: ` +
        "start the newer Sextant that wrote it",
    );
}

/** The schema version of a store, read without changing it; 0 if the store is empty. */
export async function findControlVersion(db: Kysely<ControlSchema>): Promise<number> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "schema_migrations")) return 0;
  return maxVersion(db);
}

async function readVersion(tx: Transaction<ControlSchema>): Promise<number> {
  await tx.schema
    .createTable("schema_migrations")
    .ifNotExists()
    .addColumn("version", "integer", (c) => c.primaryKey().notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("applied_at", "bigint", (c) => c.notNull())
    .execute();
  return maxVersion(tx);
}

async function maxVersion(db: Kysely<ControlSchema>): Promise<number> {
  const row = await db
    .selectFrom("schema_migrations")
    .select((e) => e.fn.max("version").as("version"))
    .executeTakeFirst();
  return Number(row?.version ?? 0);
}
