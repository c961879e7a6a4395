import { sql, type Transaction } from "kysely";
import type { Backend } from "../engines/control.ts";
import type { ControlSchema } from "./schema.ts";

/** Any number; the same for every node. */
const ADVISORY_LOCK = 7_398_412;

/**
 * What happens once per installation (migrations, the first workspace) takes turns: on a shared store by an advisory lock
 * that ends with the transaction; elsewhere the write transaction itself is the lock.
 */
export async function lockStart(backend: Backend, tx: Transaction<ControlSchema>): Promise<void> {
  if (backend.sharedBetweenNodes) await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(tx);
}
