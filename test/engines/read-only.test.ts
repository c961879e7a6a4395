import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWritable } from "../../src/control/check-writable.ts";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { quietLog } from "../support/control.ts";
import { createDatabase, execute } from "../support/postgres.ts";
import { waitFor } from "../support/wait.ts";

const READ_ONLY = "takes no writes: the server is read-only";

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

  const findProblem = () =>
    checkWritable(store, systemClock).then(
      () => undefined,
      (cause: Error) => cause.message,
    );
  await failOver("read-only");
  const ended = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  await execute(elsewhere.href, ended);
  // Connections that ended are found one by one.
  await waitFor("the read-only server to be named", async () => (await findProblem()) === READ_ONLY, 10_000);
  assert.equal(store.isUnavailable(store.writeFailure()), true, "requests get 503");

  await failOver("writable");
  // Each check that fails closes the connection it had to the read-only server.
  await waitFor("the store to be ready", async () => (await findProblem()) === undefined, 10_000);
});
