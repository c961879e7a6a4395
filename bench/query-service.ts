import { type AnalyticsEngine, connectAnalytics } from "../src/engines/analytics.ts";
import { dataPaths, findRunning } from "../src/engines/data-dir.ts";
import { startProcess } from "../test/support/process.ts";
import { MAIN } from "../test/support/service.ts";
import { type BenchService, startBenchService } from "./bench-service.ts";
import type { OnEnd } from "./run-bench.ts";
import { UNLIMITED_EVENTS } from "./sextant.ts";

/** The service for questions: its projects, and its engine asked directly. */
export interface QueryService extends BenchService {
  readonly projects: readonly string[];
  readonly engine: AnalyticsEngine;
}

/**
 * Without the worker, the bench alone closes days, when it wants to. A scan of everything may take longer and more memory than
 * a report should; the limits are raised for it, and the reports have them raised, too.
 */
const SETTINGS = {
  SEXTANT_ROLES: "api,ingest",
  SEXTANT_API_RATE_PER_SECOND: "100000",
  SEXTANT_API_RATE_BURST: "100000",
  ...UNLIMITED_EVENTS,
  SEXTANT_QUERY_TIMEOUT_MS: "600000",
  SEXTANT_QUERY_MEMORY_MB: "8192",
} as const;
const QUERY_SECONDS = 600;

export async function startQueryService(projectCount: number, onEnd: OnEnd): Promise<QueryService> {
  const service = await startBenchService(SETTINGS, onEnd);
  const projects = [service.credentials.projectId];
  while (projects.length < projectCount)
    projects.push(await createProject(service.env, `Project ${projects.length + 1}`));

  const running = findRunning(dataPaths(service.dataDir))?.engine;
  if (running === undefined) throw new Error("the service does not say where its engine is");
  const engine = connectAnalytics({
    ...running,
    url: () => running.url,
    database: "sextant",
    limits: { querySeconds: QUERY_SECONDS, requestTimeoutMs: (QUERY_SECONDS + 10) * 1000 },
  });
  onEnd(() => engine.close());
  return { ...service, projects, engine };
}

async function createProject(env: Record<string, string>, name: string): Promise<string> {
  const command = startProcess([MAIN, "projects", "create", name, "--json"], env);
  if ((await command.exited) !== 0) throw new Error(`no project: ${command.stderr()}`);
  return (JSON.parse(command.stdout()) as { id: string }).id;
}
