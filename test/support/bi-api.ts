import { createBiToken } from "../../src/control/bi-tokens.ts";
import { createKeyText } from "../../src/control/key-text.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createStreamThread } from "../../src/lib/stream-thread.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { createRunSql } from "../../src/query/sql/run-sql.ts";
import type { AppOptions } from "../../src/routes/servers.ts";
import { startApi, TEST_SECRET, type TestApi } from "./api.ts";
import { startLocalEngine } from "./local-engine.ts";

export interface BiApi {
  readonly api: TestApi;
  readonly engine: AnalyticsEngine;
  /** A project with a BI token of its own, in a workspace of its own or in the given one. */
  createProject(workspaceId?: string): Promise<BiProject>;
  createToken(workspaceId: string, projectId: string): Promise<string>;
  stop(): Promise<void>;
}

export interface BiProject {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly token: string;
}

/** The API server over a real engine, by default in this process, for tests of SQL. */
export async function startBiApi(
  options: Partial<AppOptions> = {},
  startEngine: () => Promise<{ engine: AnalyticsEngine; stop(): Promise<void> }> = startLocalEngine,
): Promise<BiApi> {
  const local = await startEngine();
  const slots = createQuerySlots({ running: 4, waiting: 100, waitMs: 30_000 });
  const thread = createStreamThread();
  const runSql = createRunSql({ engine: local.engine, clock: systemClock, slots, timeoutMs: 20_000, thread });
  const api = await startApi("sqlite", options, [], { runSql, answerThread: thread });

  async function createToken(workspaceId: string, projectId: string): Promise<string> {
    const text = createKeyText("bi");
    const fields = { text, name: "Test", expiresAtMs: null, projectId };
    await api.store.write((tx) => createBiToken(tx, workspaceId, TEST_SECRET, fields, Date.now()));
    return text;
  }

  return {
    api,
    engine: local.engine,
    createToken,
    async createProject(given) {
      const workspaceId = given ?? (await api.createKey()).workspaceId;
      const projectId = await api.createProject(workspaceId, `App ${Math.random()}`);
      return { workspaceId, projectId, token: await createToken(workspaceId, projectId) };
    },
    async stop() {
      await api.stop();
      await thread.close();
      await local.stop();
    },
  };
}
