import { randomBytes } from "node:crypto";
import pg from "pg";
import { startPostgres } from "../../scripts/generate/postgres.ts";
import { findSharedPostgres } from "./shared-postgres.ts";

/** A new database on the shared server of the run, where it may be a copy of another, or on one started for the caller. */
export async function createDatabase(template = "template1"): Promise<{ url: string; drop(): Promise<void> }> {
  const shared = await findSharedPostgres();
  const own = shared === undefined ? await startPostgres() : undefined;
  const base = shared ?? own?.url ?? "";
  const name = `t_${randomBytes(8).toString("hex")}`;
  await execute(base, `create database ${name} template ${template}`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await execute(base, `drop database ${name} with (force)`);
      await own?.stop();
    },
  };
}

export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
