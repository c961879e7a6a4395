import { sql } from "kysely";
import type { ControlStore } from "./store.ts";

/** The clock of a store on another machine. A store in a file uses our own. */
export async function readStoreClock(store: ControlStore): Promise<number> {
  const found = await sql<{ n: number }>`select extract(epoch from clock_timestamp()) * 1000 as n`.execute(store.read);
  return Number(found.rows[0]?.n ?? 0);
}
