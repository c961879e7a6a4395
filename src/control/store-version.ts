import { sql } from "kysely";
import type { ControlStore } from "./store.ts";

/** Such as 3.50.4 or 17.2. */
export async function readStoreVersion(store: ControlStore): Promise<string> {
  const asked =
    store.name === "sqlite"
      ? sql<{ v: string }>`select sqlite_version() as v`
      : sql<{ v: string }>`select current_setting('server_version') as v`;
  return (await asked.execute(store.read)).rows[0]?.v ?? "";
}
