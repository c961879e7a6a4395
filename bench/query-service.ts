import { connectDuckdb } from "../src/engines/duckdb/process/client.ts";
import type { AnalyticsEngine } from "../src/engines/port.ts";
import { dataPaths, findRunning } from "../src/installation/data-dir.ts";
import { type BenchService, startBenchService } from "./bench-service.ts";
import type { OnEnd } from "./run-bench.ts";
import { UNLIMITED_EVENTS } from "./sextant.ts";

/** The service of the query benchmark, with its projects and a direct connection to its engine. */
export interface QueryService extends BenchService {
  readonly projects: readonly string[];
  readonly engine: AnalyticsEngine;
}

/**
 * No worker: the benchmark itself materializes partitions. A full scan needs more time and memory than a report; the
 * limits are raised for both.
 */
const SETTINGS = {
  SEXTANT_ROLES: "api,ingest",
  SEXTANT_API_RATE_PER_SECOND: "100000",
  SEXTANT_API_RATE_BURST: "100000",
  SEXTANT_PAGE_ADDRESS_PER_MINUTE: "1000000",
  ...UNLIMITED_EVENTS,
  SEXTANT_QUERY_TIMEOUT_MS: "600000",
  SEXTANT_QUERY_MEMORY_MB: "4096",
  // The benchmark asks the same again and again, and measures the work of a question that nobody has asked.
  SEXTANT_KEPT_ANSWERS_MB: "0",
} as const;

/** Creates the projects. The service that answers is started later on the same, filled directory. */
export async function createProjects(
  count: number,
  onEnd: OnEnd,
): Promise<{ root: string; engineDir: string; projects: string[] }> {
  const service = await startBenchService(SETTINGS, onEnd);
  const projects = [service.credentials.projectId];
  while (projects.length < count)
    projects.push((await service.command(["projects", "create", `Project ${projects.length + 1}`])).id);
  await service.process.kill("SIGTERM");
  return { root: service.root, engineDir: dataPaths(service.dataDir).engine, projects };
}

export async function startQueryService(
  root: string,
  projects: readonly string[],
  onEnd: OnEnd,
  settings: Readonly<Record<string, string>> = {},
): Promise<QueryService> {
  const service = await startBenchService({ ...SETTINGS, ...settings }, onEnd, root);
  const running = findRunning(dataPaths(service.dataDir))?.engine;
  if (running === undefined) throw new Error("the service does not report the address of its engine");
  const engine = connectDuckdb({ url: () => running.url, token: running.token });
  onEnd(() => engine.close());
  return { ...service, projects, engine };
}
