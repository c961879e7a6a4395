import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type AnalyticsEngine, connectAnalytics } from "../src/engines/analytics.ts";
import { dataPaths, findRunning } from "../src/engines/data-dir.ts";
import { startProcess } from "../test/support/process.ts";
import { MAIN, readCredentials, serviceEnv } from "../test/support/service.ts";
import { scrape } from "./scrape.ts";
import type { Sextant } from "./sextant.ts";

/** The whole service as its own process, for questions: its keys, its projects, and its engine asked directly. */
export interface QueryService extends Sextant {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly projects: readonly string[];
  readonly engine: AnalyticsEngine;
}

/**
 * Without the worker, the bench alone closes days, when it wants to. A scan of everything may take longer and more memory than
 * a report should; the limits are raised for it, and no report comes near them.
 */
const SETTINGS = {
  SEXTANT_ROLES: "api,ingest",
  SEXTANT_LOG_LEVEL: "warn",
  SEXTANT_API_RATE_PER_SECOND: "100000",
  SEXTANT_API_RATE_BURST: "100000",
  SEXTANT_EVENTS_RATE_PER_SECOND: "1000000",
  SEXTANT_EVENTS_RATE_BURST: "10000000",
  SEXTANT_QUERY_TIMEOUT_MS: "600000",
  SEXTANT_QUERY_MEMORY_MB: "8192",
} as const;
const QUERY_SECONDS = 600;
const STOP_WITHIN_MS = 15_000;
const POLL_MS = 100;
const STORED_WITHIN_MS = 120_000;

/** `onStart` gets what ends and removes it before it is ready: a bench that is interrupted by then leaves nothing either. */
export async function startQueryService(
  projectCount: number,
  onStart: (remove: () => Promise<void>) => void,
): Promise<QueryService> {
  const root = mkdtempSync(join(tmpdir(), "sextant-bench-"));
  const dataDir = join(root, "data");
  const env = serviceEnv(dataDir, SETTINGS);
  const service = startProcess([MAIN, "serve"], env);
  onStart(async () => {
    service.child.kill("SIGTERM");
    await Promise.race([service.exited, delay(STOP_WITHIN_MS)]);
    if (service.child.exitCode === null && service.child.signalCode === null) await service.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  await service.waitForLine(/is ready\.[\s\S]*\n\n/);
  const opsUrl = /^ +Operations +(http:\/\/\S+?)\/readyz$/m.exec(service.stdout())?.[1] ?? "";
  const { apiUrl, apiKey, eventsUrl, writeKey, projectId } = readCredentials(dataDir);

  const projects = [projectId];
  while (projects.length < projectCount) projects.push(await createProject(env, `Project ${projects.length + 1}`));

  const running = findRunning(dataPaths(dataDir))?.engine;
  if (running === undefined) throw new Error("the service does not say where its engine is");
  const engine = connectAnalytics({
    ...running,
    url: () => running.url,
    database: "sextant",
    limits: { querySeconds: QUERY_SECONDS, requestTimeoutMs: (QUERY_SECONDS + 10) * 1000 },
  });
  onStart(() => engine.close());

  return {
    pid: service.child.pid ?? 0,
    port: Number(new URL(eventsUrl).port),
    writeKey,
    apiUrl,
    apiKey,
    projects,
    engine,
    scrape: () => scrape(opsUrl),
    async waitUntilStored() {
      for (const giveUpAt = performance.now() + STORED_WITHIN_MS; performance.now() < giveUpAt; await delay(POLL_MS)) {
        const now = await scrape(opsUrl);
        if (now.stored + now.parked >= now.accepted) return now;
      }
      throw new Error(`the writer does not come to the end of the log: ${service.stderr().slice(-2_000)}`);
    },
    stopAndCount: () => Promise.reject(new Error("this bench does not count what was ingested")),
  };
}

async function createProject(env: Record<string, string>, name: string): Promise<string> {
  const command = startProcess([MAIN, "projects", "create", name, "--json"], env);
  if ((await command.exited) !== 0) throw new Error(`no project: ${command.stderr()}`);
  return (JSON.parse(command.stdout()) as { id: string }).id;
}
