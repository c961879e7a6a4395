import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startProcess, type TestProcess } from "./process.ts";

export const MAIN = resolve(import.meta.dirname, "../../src/main.ts");
/** As `npm start`, the command and the image start it. */
export const NODE_OPTIONS = ["--v8-pool-size=1", "--max-semi-space-size=8"];
/** The same, for glibc. */
export const MALLOC = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "1048576",
  MALLOC_TRIM_THRESHOLD_: "33554432",
} as const;
export const SERVE = [...NODE_OPTIONS, MAIN, "serve"];

export interface Credentials {
  workspaceId: string;
  projectId: string;
  apiKey: string;
  writeKey: string;
  apiUrl: string;
  eventsUrl: string;
  /** The link to the first account. */
  setupUrl: string;
}

export interface TestService extends TestProcess {
  apiUrl: string;
  eventsUrl: string;
  opsUrl: string;
}

/** Settings for a service of its own: free ports, its own directory. */
export function serviceEnv(dataDir: string, changes: Record<string, string> = {}): Record<string, string> {
  return {
    ...MALLOC,
    SEXTANT_API_PORT: "0",
    SEXTANT_EVENTS_PORT: "0",
    SEXTANT_OPS_PORT: "0",
    SEXTANT_DATA_DIR: dataDir,
    ...changes,
  };
}

/** The whole service as `npm start` runs it, or as `args` say; resolves when its banner is printed. */
export async function startService(
  dataDir: string,
  changes: Record<string, string> = {},
  args: readonly string[] = SERVE,
): Promise<TestService> {
  const running = startProcess(args, serviceEnv(dataDir, changes));
  await running.waitForLine(/is ready\.[\s\S]*\n\n/);
  const find = (name: string) =>
    new RegExp(`^ +${name} +(http://\\S+?)(?:/readyz)?$`, "m").exec(running.stdout())?.[1] ?? "";
  return { ...running, apiUrl: find("API"), eventsUrl: find("Events"), opsUrl: find("Operations") };
}

export function readCredentials(dataDir: string): Credentials {
  return JSON.parse(readFileSync(join(dataDir, "credentials.json"), "utf8")) as Credentials;
}

/** A suite makes its directory while its file is loaded, and its hooks may never run. */
const REMOVALS = new Set<() => void>();
process.once("exit", () => {
  for (const remove of REMOVALS) remove();
});

export function makeDataDir(): { dir: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), "data-"));
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 10 });
  REMOVALS.add(remove);
  return { dir: join(root, "data"), remove };
}
