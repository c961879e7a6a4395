/** The API server over a real engine, with the demo's events of two weeks, for tests of boards. */
import assert from "node:assert/strict";
import { createDemoEvents } from "../../src/demo/events.ts";
import type { BackendName } from "../../src/engines/control.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createStreamThread } from "../../src/lib/stream-thread.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createRunOther, createRunReport } from "../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { createRunSql } from "../../src/query/sql/run-sql.ts";
import { startApi, type TestApi, type TestKey } from "./api.ts";
import { createTestWriter, startLocalEngine } from "./local-engine.ts";

export interface BoardApi {
  readonly api: TestApi;
  readonly engine: AnalyticsEngine;
  /** Of a workspace with one project, which has the demo's events. */
  readonly key: TestKey;
  readonly project: string;
  /** The names of the reports, and `sql`, that the engine worked on, in order. */
  readonly asked: string[];
  /** Stores events of the project as received now. */
  store(events: readonly object[]): Promise<void>;
  /** With the key, or another one. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Response>;
  /** The same, for a success: its body. */
  get<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
  stop(): Promise<void>;
}

interface CallOptions {
  readonly text?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

const DAYS = 15;
const REQUEST_EVENTS = 2_000;

export async function startBoardApi(
  backend: BackendName = "sqlite",
  startEngine: () => Promise<{ engine: AnalyticsEngine; stop(): Promise<void> }> = startLocalEngine,
  options: { hasMail?: boolean } = {},
): Promise<BoardApi> {
  const local = await startEngine();
  const { engine } = local;
  const asked: string[] = [];
  const slots = createQuerySlots({ running: 4, waiting: 100, waitMs: 60_000 });
  const observe = (name: string) => void asked.push(name);
  const deps = { engine, clock: systemClock, slots, observe };
  const thread = createStreamThread();
  const api = await startApi(backend, options, [], {
    runSql: createRunSql({ ...deps, timeoutMs: 60_000, thread }),
    runReport: createRunReport(deps),
    runOther: createRunOther(deps),
    runLookup: createRunLookup(deps),
    answerThread: thread,
  });
  const key = await api.createKey();
  const project = await api.createProject(key.workspaceId, "App");
  const write = await createTestWriter(engine);
  async function store(events: readonly object[]): Promise<void> {
    const sent_at = new Date().toISOString();
    for (let at = 0; at < events.length; at += REQUEST_EVENTS) {
      const batch = events.slice(at, at + REQUEST_EVENTS).map((event) => ({ sent_at, ...event }));
      const ledger = await write(project, batch, Date.now(), { rules: "raw" });
      assert.ok(
        ledger.every(({ outcome }) => outcome === "stored"),
        JSON.stringify(ledger.slice(0, 3)),
      );
    }
  }
  const nowMs = Date.now();
  const sinceMs = nowMs - DAYS * 86_400_000;
  const demo = [...createDemoEvents(nowMs)].flat();
  await store(demo.filter(({ original_timestamp }) => Date.parse(original_timestamp) >= sinceMs));
  asked.length = 0;

  const call: BoardApi["call"] = (method, path, body, { text = key.text, headers = {}, signal } = {}) =>
    fetch(`${api.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${text}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  return {
    api,
    engine,
    key,
    project,
    asked,
    store,
    call,
    async get<T>(method: string, path: string, body?: unknown) {
      const answer = await call(method, path, body);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return (text === "" ? undefined : JSON.parse(text)) as T;
    },
    async stop() {
      await api.stop();
      await thread.close();
      await local.stop();
    },
  };
}
