/** The API server over a real engine with a few wallets, for tests of profiles. */
import assert from "node:assert/strict";
import { request } from "node:http";
import type { BackendName } from "../../src/engines/control.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { createDaysWarehouse } from "../../src/imports/days/warehouse.ts";
import { createDeleteImport } from "../../src/imports/delete-import.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createEraseWallet } from "../../src/profiles/erase.ts";
import { createWriteWallets } from "../../src/profiles/write-wallets.ts";
import { createWantedWallets, type WantedWallets } from "../../src/providers/wanted.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createRunOther, createRunReport } from "../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { startApi, type TestApi, type TestKey } from "./api.ts";
import { createTestWriter, startLocalEngine } from "./local-engine.ts";

const DAY_MS = 86_400_000;

export interface ProfileApi {
  readonly api: TestApi;
  readonly engine: AnalyticsEngine;
  /** The wallets that were looked at. */
  readonly wanted: WantedWallets;
  /** Of a workspace with one project. */
  readonly key: TestKey;
  readonly project: string;
  /** Stores events of a project, which happened so many days ago. */
  store(events: readonly WalletEvent[], projectId?: string): Promise<void>;
  /** Stores bodies that are no events: they are parked. */
  park(bodies: readonly object[]): Promise<void>;
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answered>;
  stop(): Promise<void>;
}

export interface WalletEvent {
  readonly address: string;
  readonly daysAgo: number;
  readonly [field: string]: unknown;
}

interface CallOptions {
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, which the tests compare.
  readonly body: any;
}

export async function startProfileApi(
  backend: BackendName = "sqlite",
  startEngine: () => Promise<{ engine: AnalyticsEngine; stop(): Promise<void> }> = startLocalEngine,
): Promise<ProfileApi> {
  const local = await startEngine();
  const { engine } = local;
  const wanted = createWantedWallets();
  const slots = createQuerySlots({ running: 4, waiting: 100, waitMs: 60_000 });
  const api = await startApi(backend, {}, [], {
    runLookup: createRunLookup({ engine, clock: systemClock, slots }),
    runReport: createRunReport({ engine, clock: systemClock, slots }),
    runOther: createRunOther({ engine, clock: systemClock, slots }),
    writeWallets: createWriteWallets(engine),
    noteWallets: wanted.add,
    eraseWallet: createEraseWallet(engine, wanted.forget),
    deleteImport: (...asked) => deleteImport(...asked),
  });
  const warehouse = createDaysWarehouse(engine);
  const deleteImport = createDeleteImport({ store: api.store, clock: systemClock, warehouse });
  const { workspaceId } = await api.createKey();
  const project = await api.createProject(workspaceId, "App");
  const key = await api.createKey({ workspaceId, projectId: project });
  const write = await createTestWriter(engine);
  let sent = 0;
  return {
    api,
    engine,
    wanted,
    key,
    project,
    async store(events, projectId = project) {
      const nowMs = Date.now();
      const batch = events.map(({ daysAgo, ...event }) => {
        sent += 1;
        const at = new Date(nowMs - daysAgo * DAY_MS).toISOString();
        const common = { type: "track", channel: "server", version: "0", anonymous_id: `v-${event.address}` };
        return { ...common, message_id: `m-${sent}`, original_timestamp: at, sent_at: at, ...event };
      });
      const ledger = await write(projectId, batch, nowMs, { rules: "raw" });
      assert.ok(
        ledger.every(({ outcome }) => outcome === "stored"),
        JSON.stringify(ledger),
      );
    },
    async park(bodies) {
      const ledger = await write(project, bodies, Date.now(), { rules: "raw" });
      assert.ok(ledger.every(({ outcome }) => outcome === "parked"));
    },
    call: (method, path, body, { text = key.text, headers = {} } = {}) =>
      send(`${api.apiUrl}${path}`, method, body, { authorization: `Bearer ${text}`, ...headers }),
    async stop() {
      await api.stop();
      await local.stop();
    },
  };
}

/** As axios and other clients of Node do, also a GET with a body, which `fetch` refuses. */
export function send(url: string, method: string, body: unknown, headers: Record<string, string>): Promise<Answered> {
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        headers: {
          accept: "application/json",
          ...(bytes ? { "content-type": "application/json", "content-length": String(bytes.length) } : {}),
          ...headers,
        },
      },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => {
          text += chunk;
        });
        answer.on("error", reject);
        answer.on("end", () => {
          const isJson = String(answer.headers["content-type"]).startsWith("application/json") && text !== "";
          const { statusCode = 0, headers: received } = answer;
          resolve({ status: statusCode, headers: received, text, body: isJson ? JSON.parse(text) : undefined });
        });
      },
    );
    sent.on("error", reject);
    sent.end(bytes);
  });
}
