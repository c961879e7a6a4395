import { sql } from "kysely";
import type { ControlStore } from "./store.ts";

/** Of a store on another machine; one in a file has our own. */
export async function readStoreClock(store: ControlStore): Promise<number> {
  const found = await sql<{ n: number }>`select extract(epoch from clock_timestamp()) * 1000 as n`.execute(store.read);
  return Number(found.rows[0]?.n ?? 0);
}
