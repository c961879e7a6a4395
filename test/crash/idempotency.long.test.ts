import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SCOPES } from "../../src/contract/scopes.ts";
import { createKeyText } from "../../src/control/key-text.ts";
import { createApiKey } from "../../src/control/keys.ts";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { createWorkspace, listProjects } from "../../src/control/tenants.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { openSqlite } from "../../src/engines/control-sqlite.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SEED } from "../../src/lib/testing.ts";
import { TEST_SECRET } from "../support/api.ts";
import { quietLog } from "../support/control.ts";
import { createDatabase } from "../support/postgres.ts";
import { startProcess } from "../support/process.ts";
import { waitFor } from "../support/wait.ts";

const SERVER = resolve(import.meta.dirname, "../support/effect-server.ts");
const KEYS = 8;

/** Small, seeded, good enough to spread kills over time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

interface Place {
  backend: "sqlite" | "postgres";
  argument: string;
  open(): Promise<ControlStore>;
  remove(): Promise<void>;
}

async function sqlitePlace(): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), "crash-"));
  const file = join(dir, "control.sqlite");
  return {
    backend: "sqlite",
    argument: file,
    open: async () => openSqlite<ControlSchema>(file),
    remove: async () => rmSync(dir, { recursive: true, force: true }),
  };
}

async function postgresPlace(): Promise<Place> {
  const database = await createDatabase();
  return {
    backend: "postgres",
    argument: database.url,
    open: () => openPostgres<ControlSchema>(database.url, quietLog),
    remove: database.drop,
  };
}

/** In it the server is killed and started three times. */
const GIVE_UP_MS = 240_000;

/** Sends one request with one key until its 2xx, across kills and restarts. Retries 409 and broken connections. */
async function sendUntilDone(baseUrl: () => string, apiKey: string, key: string): Promise<string> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  return waitFor(
    `the answer of ${key}`,
    async () => {
      assert.ok(performance.now() < giveUpAt, `no answer of ${key} within ${GIVE_UP_MS} ms`);
      try {
        const answer = await fetch(`${baseUrl()}/api/slow`, {
          method: "POST",
          headers: { "x-api-key": apiKey, "content-type": "application/json", "idempotency-key": key },
          body: JSON.stringify({ name: key, ms: 40 }),
        });
        const text = await answer.text();
        if (answer.status === 201) return text;
        assert.ok(answer.status === 409 || answer.status === 503, `${answer.status} ${text}`);
      } catch (cause) {
        if (cause instanceof assert.AssertionError) throw cause;
      }
      await delay(50);
      return undefined;
    },
    GIVE_UP_MS,
  );
}

for (const makePlace of [sqlitePlace, postgresPlace]) {
  const backend = makePlace.name.replace("Place", "");
  describe(`kill -9 in the middle of writes on ${backend}`, () => {
    test("every key works again within 60 s, and no effect happens twice", { timeout: 300_000 }, async (t) => {
      const next = random(SEED);
      const place = await makePlace();
      t.after(() => place.remove());
      const store = await place.open();
      t.after(() => store.close());
      await migrateControl(store, systemClock);
      const text = createKeyText("api");
      const workspaceId = await store.write(async (tx) => {
        const workspace = await createWorkspace(tx, "w", 1);
        await createApiKey(
          tx,
          workspace.id,
          TEST_SECRET,
          { text, name: "k", projectId: null, scopes: SCOPES, expiresAtMs: null },
          1,
        );
        return workspace.id;
      });
      let baseUrl = "";
      const start = async () => {
        const server = startProcess([SERVER, place.backend, place.argument], {});
        baseUrl = (await server.waitForLine(/listening on (\S+)/))[1] ?? "";
        return server;
      };
      let server = await start();
      t.after(() => server.kill("SIGKILL"));
      const answers = Promise.all(
        Array.from({ length: KEYS }, (_, i) => sendUntilDone(() => baseUrl, text, `key-${i}`)),
      );
      const cycles = place.backend === "sqlite" ? 3 : 2;
      for (let cycle = 0; cycle < cycles; cycle += 1) {
        await delay(20 + next() * 120);
        await server.kill("SIGKILL");
        server = await start();
      }
      const bodies = await answers;
      assert.equal(new Set(bodies).size, KEYS);
      assert.equal((await listProjects(store.read, workspaceId)).length, KEYS, "one effect per key");
      const again = await Promise.all(bodies.map((_, i) => sendUntilDone(() => baseUrl, text, `key-${i}`)));
      assert.deepEqual(again, bodies);
    });
  });
}
