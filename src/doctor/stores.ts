import { isSecretOf } from "../control/check-secret.ts";
import { findControlVersion, NEWEST_CONTROL } from "../control/migrate.ts";
import type { ControlStore } from "../control/store.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** Leases last 20 s and rate limits count seconds, so clocks may not differ by half a lease. */
const CLOCK_FAIL_MS = 10_000;
const CLOCK_WARN_MS = 1_000;

/** Reads only: the next start migrates an older schema. */
export async function checkControl(store: ControlStore): Promise<CheckResult[]> {
  const name = "control store";
  const version = await findControlVersion(store.read);
  return [describeSchema(name, store.name, version, NEWEST_CONTROL)];
}

export async function checkSecret(store: ControlStore, secret: Buffer | undefined): Promise<CheckResult[]> {
  const name = "secret";
  const known = (await findControlVersion(store.read)) > 0;
  const kept = known
    ? await store.read.selectFrom("installation").select("secret_check").executeTakeFirst()
    : undefined;
  if (secret === undefined) {
    if (kept === undefined) return [ok(name, "created at the first start")];
    return [
      fail(name, "is missing, so no key works", "put back the data directory's `secret` file, or set SEXTANT_SECRET"),
    ];
  }
  if (kept === undefined || isSecretOf(kept.secret_check, secret))
    return [ok(name, "the secret the keys were created with")];
  return [
    fail(
      name,
      "is not the secret the keys were created with",
      "put back the `secret` file or SEXTANT_SECRET of the first start",
    ),
  ];
}

export async function checkEngine(engine: AnalyticsEngine, what: "DuckDB" | "ClickHouse"): Promise<CheckResult[]> {
  await engine.ping();
  const version = await engine.schema.version();
  // A database that does not exist yet answers no statement.
  if (version === 0) return [describeSchema("analytics engine", what, version, engine.schema.newest)];
  const { rows } = await engine.select<{ v: string }>("SELECT version() AS v");
  return [describeSchema("analytics engine", `${what} ${rows[0]?.v ?? "?"}`, version, engine.schema.newest)];
}

function describeSchema(name: string, what: string, version: number, newest: number): CheckResult {
  const message = `${what}, schema ${version} of ${newest}`;
  if (version === 0) return ok(name, `${what}, empty: the first start creates its tables`);
  if (version > newest) return fail(name, message, "run the newer Sextant that wrote it");
  if (version < newest) return warn(name, message, "back up, then start the service: it migrates the schema");
  return ok(name, message);
}

/** The least difference between a store's clock and ours: the round trip is deducted. */
export async function checkClock(name: string, readMs: () => Promise<number>): Promise<CheckResult[]> {
  const before = Date.now();
  const theirs = await readMs();
  const after = Date.now();
  const off = Math.max(0, before - theirs, theirs - after);
  const message = `${(off / 1000).toFixed(1)} s from this machine's`;
  const advice = "synchronize both machines with a time server";
  if (off > CLOCK_FAIL_MS) return [fail(name, message, advice)];
  return off > CLOCK_WARN_MS ? [warn(name, message, advice)] : [ok(name, message)];
}
