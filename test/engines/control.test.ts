import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { SCOPES } from "../../src/contract/scopes.ts";
import {
  createBiToken,
  findBiTokenByHash,
  findUnrecordedHour,
  listBiTokens,
  recordUse,
  revokeBiToken,
} from "../../src/control/bi-tokens.ts";
import { bootstrap } from "../../src/control/bootstrap.ts";
import { checkSecret } from "../../src/control/check-secret.ts";
import {
  claimKey,
  purgeIdempotencyRecords,
  releaseAbandonedKeys,
  releaseKey,
  settleKey,
} from "../../src/control/idempotency.ts";
import { createKeyText, hashKey } from "../../src/control/key-text.ts";
import {
  createApiKey,
  createWriteKey,
  findApiKeyByHash,
  listApiKeys,
  listWriteKeys,
  revokeApiKey,
  revokeWriteKey,
} from "../../src/control/keys.ts";
import { lockStart } from "../../src/control/lock-start.ts";
import { findControlVersion, migrateControl, NEWEST_CONTROL } from "../../src/control/migrate.ts";
import { MIGRATIONS } from "../../src/control/migrations/index.ts";
import { createRateLimiter } from "../../src/control/rate-limit.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import { readStoreVersion } from "../../src/control/store-version.ts";
import {
  createProject,
  createWorkspace,
  findProject,
  listProjects,
  listWorkspaces,
} from "../../src/control/tenants.ts";
import { BACKENDS, type BackendName } from "../../src/engines/control.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createControl, quietLog, type TestControl } from "../support/control.ts";
import { createDatabase } from "../support/postgres.ts";
import { waitFor } from "../support/wait.ts";

const secret = Buffer.alloc(32, 7);

/** The same guarantees hold on every backend, on a laptop and on a cluster. */
for (const name of Object.keys(BACKENDS) as BackendName[]) {
  describe(`control store on ${name}`, () => {
    let control: TestControl;
    before(async () => {
      control = await createControl(name);
    });
    after(() => control.drop());

    test("a second migration changes nothing, also from two nodes at once", async () => {
      const other = await control.again();
      await Promise.all([migrateControl(control.store, systemClock), migrateControl(other, systemClock)]);
      const rows = await control.store.read
        .selectFrom("schema_migrations")
        .select("version")
        .orderBy("version")
        .execute();
      assert.deepEqual(
        rows.map((row) => row.version),
        MIGRATIONS.map((migration) => migration.version),
      );
    });

    test("a store written by a newer Sextant is refused and not changed", async () => {
      const fresh = await createControl(name);
      const row = { version: 999, name: "from the future", applied_at: 1 };
      await fresh.store.write((tx) => tx.insertInto("schema_migrations").values(row).execute());
      await assert.rejects(migrateControl(fresh.store, systemClock), /schema version 999.*newer Sextant/);
      await fresh.drop();
    });

    test("the first start creates one workspace, also when several nodes start at once", async () => {
      const nodes = [control.store, await control.again(), await control.again()];
      const kept: object[] = [];
      const deps = { secret, clock: systemClock, keep: (made: object) => void kept.push(made) };
      const made = await Promise.all(nodes.map((store) => bootstrap(store, deps)));
      assert.equal(made.filter(Boolean).length, 1);
      assert.equal(kept.length, 1);
      assert.equal((await listWorkspaces(control.store.read)).length, 1);
    });

    test("a different secret is refused with advice", async () => {
      await checkSecret(control.store, secret);
      await checkSecret(control.store, secret);
      await assert.rejects(checkSecret(control.store, Buffer.alloc(32, 8)), /SEXTANT_SECRET/);
    });

    test("the store tells its version", async () => {
      assert.match(await readStoreVersion(control.store), /^\d+\.\d+/);
    });

    test("a failed transaction leaves nothing", async () => {
      const failing = control.store.write(async (tx) => {
        await createWorkspace(tx, "never", 1);
        throw new Error("stop");
      });
      await assert.rejects(failing, /stop/);
      const names = (await listWorkspaces(control.store.read)).map((workspace) => workspace.name);
      assert.ok(!names.includes("never"));
    });

    test("50 parallel transactions on one counter lose no update", async () => {
      const workspace = await control.store.write((tx) => createWorkspace(tx, "0", 1));
      const increment = () =>
        control.store.write(async (tx) => {
          const locked = tx.selectFrom("workspaces").select("name").where("id", "=", workspace.id);
          const row = await (name === "postgres" ? locked.forUpdate() : locked).executeTakeFirstOrThrow();
          await tx
            .updateTable("workspaces")
            .set({ name: String(Number(row.name) + 1) })
            .where("id", "=", workspace.id)
            .execute();
        });
      await Promise.all(Array.from({ length: 50 }, increment));
      const after = (await listWorkspaces(control.store.read)).find((one) => one.id === workspace.id);
      assert.equal(after?.name, "50");
    });

    test("keys and projects belong only to their workspace", async () => {
      const text = createKeyText("api");
      const { mine, other, project, key, writeKey } = await control.store.write(async (tx) => {
        const mine = await createWorkspace(tx, "mine", 10);
        const other = await createWorkspace(tx, "other", 10);
        const project = await createProject(tx, mine.id, "app", 11);
        const fields = { name: "k", expiresAtMs: null };
        const key = await createApiKey(
          tx,
          mine.id,
          secret,
          { ...fields, text, projectId: project.id, scopes: SCOPES },
          12,
        );
        const writeText = createKeyText("write");
        const writeKey = await createWriteKey(
          tx,
          mine.id,
          secret,
          { ...fields, text: writeText, projectId: project.id },
          12,
        );
        return { mine, other, project, key, writeKey };
      });
      const db = control.store.read;
      assert.deepEqual(await findApiKeyByHash(db, hashKey(secret, text)), key);
      assert.equal(await findProject(db, other.id, project.id), undefined);
      assert.deepEqual(await listProjects(db, other.id), []);
      assert.deepEqual(await listApiKeys(db, other.id), []);
      assert.deepEqual(await listWriteKeys(db, mine.id), [writeKey]);
      assert.equal(await control.store.write((tx) => revokeApiKey(tx, other.id, key.id, 20)), false);
      assert.equal(await control.store.write((tx) => revokeWriteKey(tx, other.id, writeKey.id, 20)), false);
      assert.equal(await control.store.write((tx) => revokeApiKey(tx, mine.id, key.id, 20)), true);
      assert.equal(await control.store.write((tx) => revokeApiKey(tx, mine.id, key.id, 21)), false);
      assert.equal((await findApiKeyByHash(db, hashKey(secret, text)))?.revokedAtMs, 20);
    });

    test("a BI token is found by its hash, shows the hour of its last use, and is foreign to others", async () => {
      const secret = Buffer.alloc(32, 7);
      const text = createKeyText("bi");
      const hourMs = 3_600_000;
      const { mine, other, token } = await control.store.write(async (tx) => {
        const mine = await createWorkspace(tx, "with BI", 10);
        const other = await createWorkspace(tx, "without BI", 10);
        const { id } = await createProject(tx, mine.id, "app", 11);
        const fields = { text, name: "Grafana", expiresAtMs: null, projectId: id };
        return { mine, other, token: await createBiToken(tx, mine.id, secret, fields, 12) };
      });
      const find = () => findBiTokenByHash(control.store.read, hashKey(secret, text));
      const revoke = (workspaceId: string) => control.store.write((tx) => revokeBiToken(tx, workspaceId, token.id, 20));
      assert.deepEqual(await find(), token);
      assert.equal(token.prefix, text.slice(0, 10));
      assert.equal(findUnrecordedHour(token, 5 * hourMs + 7), 5 * hourMs);
      await control.store.write((tx) => recordUse(tx, other.id, token.id, 9 * hourMs));
      await control.store.write((tx) => recordUse(tx, mine.id, token.id, 5 * hourMs));
      await control.store.write((tx) => recordUse(tx, mine.id, token.id, 4 * hourMs));
      const used = { ...token, lastUsedAtMs: 5 * hourMs };
      assert.deepEqual(await find(), used);
      assert.equal(findUnrecordedHour(used, 6 * hourMs - 1), undefined);
      assert.deepEqual(await listBiTokens(control.store.read, other.id), []);
      assert.deepEqual(await listBiTokens(control.store.read, mine.id), [used]);
      assert.equal(await revoke(other.id), false);
      assert.equal(await revoke(mine.id), true);
      assert.equal(await revoke(mine.id), false);
      assert.equal((await find())?.revokedAtMs, 20);
    });

    test("an idempotency key goes through its states and runs its request once", async () => {
      const { store } = control;
      const scope = { workspaceId: "w", projectId: null, key: "k1" };
      const answer = { status: 201, contentType: "application/json", body: '{"a":"ü\\u0000"}' };
      const first = await claimKey(store, scope, "f1", 1_000);
      assert.equal(first.kind, "run");
      const owner = first.kind === "run" ? first.owner : "";
      assert.deepEqual(await claimKey(store, scope, "f1", 1_001), { kind: "in_progress" });
      assert.deepEqual(await claimKey(store, scope, "f2", 1_001), { kind: "other_request" });
      assert.equal((await claimKey(store, { ...scope, projectId: "p" }, "f2", 1_001)).kind, "run");
      assert.equal((await claimKey(store, { ...scope, workspaceId: "w2" }, "f2", 1_001)).kind, "run");
      assert.equal(await store.write((tx) => settleKey(tx, scope, "somebody else", answer)), false);
      assert.equal(await store.write((tx) => settleKey(tx, scope, owner, answer)), true);
      assert.equal(await store.write((tx) => settleKey(tx, scope, owner, answer)), false);
      await releaseKey(store, scope, owner);
      assert.deepEqual(await claimKey(store, scope, "f1", 2_000), { kind: "replay", answer });
      assert.deepEqual(await claimKey(store, scope, "f2", 2_000), { kind: "other_request" });
      assert.equal((await claimKey(store, scope, "f2", 1_000 + 24 * 3_600_000)).kind, "run");
    });

    test("exactly one of many takes over a dead request's key after its lease, and only it can settle", async () => {
      const { store } = control;
      const scope = { workspaceId: "w", projectId: null, key: "k2" };
      const dead = await claimKey(store, scope, "f", 0);
      assert.deepEqual(await claimKey(store, scope, "f", 19_999), { kind: "in_progress" });
      const claims = await Promise.all(Array.from({ length: 20 }, () => claimKey(store, scope, "f", 60_000)));
      assert.equal(claims.filter((claim) => claim.kind === "run").length, 1);
      const answer = { status: 200, contentType: "application/json", body: "{}" };
      const settled = await store.write((tx) => settleKey(tx, scope, dead.kind === "run" ? dead.owner : "", answer));
      assert.equal(settled, false);
    });

    test("of 100 parallel claims exactly one runs", async () => {
      const other = await control.again();
      const scope = { workspaceId: "w", projectId: "p", key: "k3" };
      const claims = await Promise.all(
        Array.from({ length: 100 }, (_, i) => claimKey(i % 2 ? other : control.store, scope, "f", 5)),
      );
      assert.equal(claims.filter((claim) => claim.kind === "run").length, 1);
      assert.equal(claims.filter((claim) => claim.kind === "in_progress").length, 99);
    });

    test("a start releases keys that the last process left running, unless other nodes share the store", async () => {
      const scope = { workspaceId: "w", projectId: null, key: "k4" };
      await claimKey(control.store, scope, "f", 1_000);
      await releaseAbandonedKeys(control.store);
      const again = await claimKey(control.store, scope, "f", 1_001);
      assert.equal(again.kind, control.store.backend.sharedBetweenNodes ? "in_progress" : "run");
    });

    test("expired idempotency records are purged in steps, so that no request waits for the whole purge", async () => {
      const keys = Array.from({ length: 2_500 }, (_, i) => ({ workspace_id: "many", project_id: "", key: `k-${i}` }));
      const rest = { fingerprint: "f", owner: "o", lease_until: 0, expires_at: 1 };
      for (let from = 0; from < keys.length; from += 500)
        await control.store.write(async (tx) => {
          const rows = keys.slice(from, from + 500).map((key) => ({ ...key, ...rest }));
          await tx.insertInto("idempotency").values(rows).execute();
        });
      const steps: number[] = [];
      do steps.push(await purgeIdempotencyRecords(control.store, 2));
      while (steps.at(-1) !== 0);
      assert.deepEqual(steps.slice(0, 2), [1_000, 1_000]);
      assert.equal(steps.at(-1), 0);
    });

    test("expired idempotency records are purged, others stay", async () => {
      const day = 24 * 3_600_000;
      await claimKey(control.store, { workspaceId: "old", projectId: null, key: "a" }, "f", 1);
      await claimKey(control.store, { workspaceId: "new", projectId: null, key: "a" }, "f", 10 * day);
      assert.ok((await purgeIdempotencyRecords(control.store, 5 * day)) >= 1);
      const rows = await control.store.read.selectFrom("idempotency").select("workspace_id").execute();
      assert.deepEqual(
        rows.map((row) => row.workspace_id).filter((id) => id === "old" || id === "new"),
        ["new"],
      );
    });

    test("a subject that is charged more than it has left owes it, up to one burst", async () => {
      const limiter = createRateLimiter(control.store);
      const policy = { perSecond: 0.001, burst: 5 };
      assert.equal((await limiter.take("charged", policy)).remaining, 4);
      assert.equal((await limiter.charge("charged", policy, 2)).remaining, 2);
      const owing = await limiter.charge("charged", policy, 1_000);
      assert.deepEqual([owing.allowed, owing.remaining], [true, 0]);
      const refused = await limiter.take("charged", policy);
      assert.equal(refused.allowed, false);
      assert.ok(refused.resetSeconds > 5_900 && refused.resetSeconds <= 6_000, `${refused.resetSeconds} s`);
      assert.equal((await limiter.charge("new", policy, 1)).remaining, 4);
    });

    test("a burst is granted at once, and requests beyond it are refused with the time to wait", async () => {
      const limiter = createRateLimiter(control.store);
      // So slow that none comes back meanwhile.
      const policy = { perSecond: 0.01, burst: 20 };
      const verdicts = await Promise.all(Array.from({ length: 50 }, () => limiter.take("burst", policy)));
      assert.equal(verdicts.filter((verdict) => verdict.allowed).length, 20);
      const refused = verdicts.find((verdict) => !verdict.allowed);
      assert.partialDeepStrictEqual(refused, { allowed: false, limit: 20, remaining: 0 });
      const seconds = refused?.resetSeconds ?? 0;
      assert.ok(seconds > 50 && seconds <= 100, `${seconds} s`);
      assert.equal((await limiter.take("somebody else", policy)).remaining, 19);
    });
  });
}

test("a migration on postgres may take longer than a request, and waits for one of another node", async (t) => {
  const database = await createDatabase();
  // Short for a wait, long enough for every other statement on a busy machine.
  const limitMs = 2_000;
  const store = await openPostgres<ControlSchema>(database.url, quietLog, { server: limitMs, client: limitMs });
  const other = await openPostgres<ControlSchema>(database.url, quietLog);
  t.after(async () => {
    await store.close();
    await other.close();
    await database.drop();
  });
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = other.write(async (tx) => {
    await lockStart(other.backend, tx);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  let failed = false;
  const migrating = migrateControl(store, systemClock);
  migrating.catch(() => {
    failed = true;
  });
  await waitFor("a wait beyond the limit", async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
      where datname = current_database() and wait_event = 'advisory'
      and clock_timestamp() - query_start > ${limitMs + 500} * interval '1 ms'`.execute(other.read);
    return failed || rows[0]?.n === 1;
  });
  release.resolve();
  await holding;
  await migrating;
  assert.equal(await findControlVersion(other.read), NEWEST_CONTROL);
});
