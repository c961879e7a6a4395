import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { Registry } from "prom-client";
import { Type } from "typebox";
import { createPasswords } from "../../src/accounts/passwords.ts";
import { ROLES } from "../../src/contract/roles.ts";
import { SCOPES, type Scope } from "../../src/contract/scopes.ts";
import { checkWritable } from "../../src/control/check-writable.ts";
import { createKeyText } from "../../src/control/key-text.ts";
import { createApiKey, createWriteKey } from "../../src/control/keys.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { createProject, createWorkspace } from "../../src/control/tenants.ts";
import { openWriteKeyRing } from "../../src/control/write-key-ring.ts";
import type { BackendName } from "../../src/engines/control.ts";
import { type Route, readRoute, writeRoute } from "../../src/http/route.ts";
import { createBodyThread } from "../../src/ingest/body-thread.ts";
import { type Log, openLog } from "../../src/ingest/log.ts";
import { createRecentIds } from "../../src/ingest/recent-ids.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { nodeFiles } from "../../src/lib/files.ts";
import { createStreamThread } from "../../src/lib/stream-thread.ts";
import { type AppDeps, type AppOptions, buildServers, type Servers } from "../../src/routes/servers.ts";
import { createControl, quietLog, type TestControl } from "./control.ts";
import { findUndocumented } from "./documented.ts";
import { TEST_NEEDS } from "./route-needs.ts";
import { waitFor } from "./wait.ts";

/** A real password takes 85 ms of a core, and tests sign in often. */
const CHEAP_PASSWORDS = createPasswords({ memory: 64, passes: 1, parallelism: 1 });
export const TEST_SECRET = Buffer.alloc(32, 1);

export interface TestKey {
  text: string;
  id: string;
  workspaceId: string;
}

export interface TestApi {
  apiUrl: string;
  eventsUrl: string;
  opsUrl: string;
  servers: Servers;
  store: ControlStore;
  logs: string[];
  /** A key of a new workspace, or of the given one. */
  createKey(options?: {
    workspaceId?: string;
    scopes?: readonly Scope[];
    projectId?: string;
    expiresAtMs?: number;
  }): Promise<TestKey>;
  createProject(workspaceId: string, name: string): Promise<string>;
  /** A write key that the events server knows already. */
  createWriteKey(options?: {
    expiresAtMs?: number;
  }): Promise<{ text: string; id: string; workspaceId: string; projectId: string }>;
  log: Log;
  stop(): Promise<void>;
}

/** A read with a scope and a write with a countable effect, to test the guarantees of every route. */
export const TEST_ROUTES: readonly Route[] = [
  readRoute({
    method: "GET",
    path: "/v0/test_reads",
    operationId: "testRead",
    tag: "Test",
    summary: "A read",
    access: "query:read",
    query: Type.Object({
      limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
      offset: Type.Integer({ minimum: 0, default: 0 }),
      day: Type.Optional(Type.String({ format: "date" })),
    }),
    answers: { 200: Type.Object({}) },
    handle: async ({ key, parts: { query } }) => ({ status: 200, body: { query, workspaceId: key.workspaceId } }),
  }),
  writeRoute({
    method: "POST",
    path: "/api/test-projects",
    operationId: "testWrite",
    tag: "Test",
    summary: "A write whose effect is a project",
    access: "forms:write",
    body: Type.Object({
      name: Type.String({ minLength: 1 }),
      eventTypes: Type.Optional(Type.Array(Type.String({ enum: ["A", "B"] }), { maxItems: 200 })),
    }),
    answers: { 201: Type.Object({ isSuccess: Type.Boolean() }) },
    handle: async ({ key, parts: { body } }, tx) => {
      const project = await createProject(tx, key.workspaceId, `${body.name} ${Math.random()}`, Date.now());
      return { status: 201, body: { isSuccess: true, data: { id: project.id } } };
    },
  }),
];

/** The events server with a real log and no warehouse. */
async function openTestIngest(store: ControlStore) {
  const dir = mkdtempSync(join(tmpdir(), "log-"));
  const log = await openLog({ dir, files: nodeFiles, clock: systemClock, logger: quietLog });
  const keys = await openWriteKeyRing({ db: store.read, secret: TEST_SECRET, clock: systemClock, log: quietLog });
  const thread = createBodyThread();
  return {
    keys,
    accept: { log, clock: systemClock, recent: createRecentIds(), logger: quietLog, thread, count: () => undefined },
    async close() {
      await keys.close();
      await thread.close();
      await log.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export async function startApi(
  backend: BackendName | TestControl,
  changes: Partial<AppOptions> = {},
  extra: readonly Route[] = TEST_ROUTES,
  others: Partial<AppDeps> = {},
): Promise<TestApi> {
  const control = typeof backend === "string" ? await createControl(backend) : backend;
  const logs: string[] = [];
  const ingest = await openTestIngest(control.store);
  const urls = { api: "", events: "", ops: "" };
  const servers = await buildServers(
    {
      version: "0.0.0",
      apiUrl: () => urls.api,
      eventsUrl: () => urls.events,
      opsUrl: () => urls.ops,
      apiRate: { perSecond: 10_000, burst: 100_000 },
      eventsBytesPerSecond: 10_000_000_000,
      eventsRate: { perSecond: 100_000, burst: 100_000 },
      countryHeader: "",
      failedAuthPerMinute: 100_000,
      signInAddressPerMinute: 1_000_000,
      formAddressPerMinute: 1_000_000,
      formPerMinute: 1_000_000,
      formMbPerDay: 1_000_000,
      pageAddressPerMinute: 1_000_000,
      querySlots: 4,
      trustedProxies: [],
      apiCorsOrigins: [],
      ...changes,
    },
    {
      store: control.store,
      secret: TEST_SECRET,
      clock: systemClock,
      log: pino({ level: "trace" }, { write: (line: string) => void logs.push(line) }),
      registry: new Registry(),
      checks: [{ name: "control store", neededBy: ["api"], check: () => checkWritable(control.store, systemClock) }],
      roles: ROLES,
      isStopping: () => false,
      wakeDelivery: () => undefined,
      ...TEST_NEEDS,
      // It starts with the first large answer, and these are small.
      answerThread: createStreamThread(),
      targetPolicy: { allowNetworks: [], allowLoopback: true },
      isUnavailable: (cause) => control.store.isUnavailable(cause),
      extraApiRoutes: extra,
      passwords: CHEAP_PASSWORDS,
      ingest,
      ...others,
    },
  );
  for (const name of ["api", "events", "ops"] as const) {
    urls[name] = await servers[name].listen({ host: "127.0.0.1", port: 0 });
  }
  return {
    apiUrl: urls.api,
    eventsUrl: urls.events,
    opsUrl: urls.ops,
    servers,
    store: control.store,
    logs,
    createKey: (options = {}) =>
      control.store.write(async (tx) => {
        const workspaceId = options.workspaceId ?? (await createWorkspace(tx, "Test workspace", Date.now())).id;
        const text = createKeyText("api");
        const key = {
          text,
          name: "test",
          projectId: options.projectId ?? null,
          scopes: options.scopes ?? SCOPES,
          expiresAtMs: options.expiresAtMs ?? null,
        };
        const made = await createApiKey(tx, workspaceId, TEST_SECRET, key, Date.now());
        return { text, id: made.id, workspaceId };
      }),
    createProject: (workspaceId, name) =>
      control.store.write(async (tx) => (await createProject(tx, workspaceId, name, Date.now())).id),
    log: ingest.accept.log,
    async createWriteKey(options = {}) {
      const text = createKeyText("write");
      const made = await control.store.write(async (tx) => {
        const workspace = await createWorkspace(tx, "Sending workspace", Date.now());
        const project = await createProject(tx, workspace.id, "App", Date.now());
        const key = { text, name: "test", projectId: project.id, expiresAtMs: options.expiresAtMs ?? null };
        const { id } = await createWriteKey(tx, workspace.id, TEST_SECRET, key, Date.now());
        return { text, id, workspaceId: workspace.id, projectId: project.id };
      });
      await waitFor(
        "the events server to know the key",
        () => options.expiresAtMs !== undefined || ingest.keys.find(text),
      );
      return made;
    },
    async stop() {
      await ingest.close();
      for (const server of Object.values(servers)) await server.close();
      await control.drop();
      assert.deepEqual(findUndocumented(logs), [], "answers that OpenAPI does not list");
    },
  };
}
