import { sql, type Transaction } from "kysely";
import type { Backend } from "../engines/control.ts";
import type { ControlSchema } from "./schema.ts";

/** An arbitrary number, the same on every node. */
const ADVISORY_LOCK = 7_398_412;

/**
 * Serializes work that happens once per installation (migrations, the first workspace). On a shared store it takes an
 * advisory lock that ends with the transaction; on SQLite the write transaction itself is the lock.
 */
export async function lockStart(backend: Backend, tx: Transaction<ControlSchema>): Promise<void> {
  if (backend.sharedBetweenNodes) await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(tx);
}
