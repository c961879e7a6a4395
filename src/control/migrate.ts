import type { Transaction } from "kysely";
import { type ControlEngine, ControlOpenError } from "../engines/control.ts";
import type { Clock } from "../lib/clock.ts";
import { lockStart } from "./lock-start.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import type { ControlSchema } from "./schema.ts";

/** Brings the store to the newest schema in one transaction: all of it or none. */
export async function migrateControl(engine: ControlEngine<ControlSchema>, clock: Clock): Promise<void> {
  await engine.write(async (tx) => {
    await lockStart(engine.backend, tx);
    const applied = await readVersion(tx);
    const newest = MIGRATIONS.at(-1)?.version ?? 0;
    if (applied > newest) {
      throw new ControlOpenError(
        `the control store has schema version ${applied}, this Sextant knows ${newest}: start the newer Sextant that wrote it`,
      );
    }
    for (const migration of MIGRATIONS) {
      if (migration.version <= applied) continue;
      await migration.up(tx as unknown as Transaction<unknown>, engine.backend);
      await tx
        .insertInto("schema_migrations")
        .values({ version: migration.version, name: migration.name, applied_at: clock.nowMs() })
        .execute();
    }
  });
}

async function readVersion(tx: Transaction<ControlSchema>): Promise<number> {
  await tx.schema
    .createTable("schema_migrations")
    .ifNotExists()
    .addColumn("version", "integer", (c) => c.primaryKey().notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("applied_at", "bigint", (c) => c.notNull())
    .execute();
  const row = await tx
    .selectFrom("schema_migrations")
    .select((e) => e.fn.max("version").as("version"))
    .executeTakeFirst();
  return Number(row?.version ?? 0);
}
