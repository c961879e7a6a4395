import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWritable } from "../../src/control/check-writable.ts";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { quietLog } from "../support/control.ts";
import { createDatabase, execute } from "../support/postgres.ts";

test("a read-only PostgreSQL is not ready, and is ready again without a restart once it accepts writes", async (t) => {
  const database = await createDatabase();
  t.after(database.drop);
  const name = new URL(database.url).pathname.slice(1);
  const elsewhere = new URL(database.url);
  elsewhere.pathname = "/postgres";
  /** New connections reach the other kind of server, and existing ones end, as in a failover. */
  const failOver = async (kind: "read-only" | "writable") => {
    const setting = kind === "read-only" ? "on" : "off";
    await execute(elsewhere.href, `alter database ${name} set default_transaction_read_only = ${setting}`);
  };
  const store = await openPostgres<ControlSchema>(database.url, quietLog);
  t.after(() => store.close());
  await migrateControl(store, systemClock);
  await checkWritable(store, systemClock);

  await failOver("read-only");
  const ended = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  await execute(elsewhere.href, ended);
  await assert.rejects(checkWritable(store, systemClock), /does not answer|takes no writes/);
  await assert.rejects(checkWritable(store, systemClock), /^Error: takes no writes: the server is read-only$/);
  assert.equal(store.isUnavailable(store.writeFailure()), true, "requests get 503");

  await failOver("writable");
  await assert.doesNotReject(async () => {
    // The connection to the read-only server is returned with this failure and closed.
    await checkWritable(store, systemClock).catch(() => undefined);
    await checkWritable(store, systemClock);
  });
});
