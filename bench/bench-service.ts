import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startProcess, type TestProcess } from "../test/support/process.ts";
import { type Credentials, MAIN, readCredentials, SERVE, serviceEnv } from "../test/support/service.ts";
import type { OnEnd } from "./run-bench.ts";
import { type Scrape, scrape } from "./scrape.ts";

/** The whole service in its own process and directory. */
export interface BenchService {
  readonly process: TestProcess;
  readonly pid: number;
  /** The port of its events server. */
  readonly port: number;
  readonly opsUrl: string;
  readonly root: string;
  readonly dataDir: string;
  readonly env: Record<string, string>;
  readonly credentials: Credentials;
  /** What a command of the CLI prints with --json. */
  command(args: readonly string[]): Promise<{ id: string; apiKey: string; writeKey: string }>;
  scrape(): Promise<Scrape>;
  /** Resolves when the writer has drained the log. */
  waitUntilStored(): Promise<Scrape>;
}

const POLL_MS = 100;
/** A writer that stores nothing for so long is stalled. */
const STALLED_MS = 30_000;

/** Uses a new directory, or that of a stopped service. */
export async function startBenchService(
  settings: Record<string, string>,
  onEnd: OnEnd,
  root = mkdtempSync(join(tmpdir(), "sextant-bench-")),
): Promise<BenchService> {
  const dataDir = join(root, "data");
  const env = serviceEnv(dataDir, { SEXTANT_LOG_LEVEL: "warn", ...settings });
  const service = startProcess(SERVE, env);
  onEnd(async () => {
    if (service.child.exitCode === null && service.child.signalCode === null) await service.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  await service.waitForLine(/is ready\.[\s\S]*\n\n/);
  const addressOf = (name: string) =>
    new RegExp(`^ +${name} +(http://\\S+?)(/readyz)?$`, "m").exec(service.stdout())?.[1] ?? "";
  const opsUrl = addressOf("Operations");
  // The file contains the addresses of the first start.
  const credentials = { ...readCredentials(dataDir), apiUrl: addressOf("API"), eventsUrl: addressOf("Events") };
  return {
    process: service,
    pid: service.child.pid ?? 0,
    port: Number(new URL(credentials.eventsUrl).port),
    opsUrl,
    root,
    dataDir,
    env,
    credentials,
    async command(args) {
      const command = startProcess([MAIN, ...args, "--json"], env);
      if ((await command.exited) !== 0) throw new Error(`${args.join(" ")}: ${command.stderr()}`);
      return JSON.parse(command.stdout()) as { id: string; apiKey: string; writeKey: string };
    },
    scrape: () => scrape(opsUrl),
    async waitUntilStored() {
      let stored = -1;
      for (let movedAt = performance.now(); performance.now() - movedAt < STALLED_MS; await delay(POLL_MS)) {
        const now = await scrape(opsUrl);
        if (now.stored + now.duplicates + now.parked >= now.accepted) return now;
        if (now.stored !== stored) movedAt = performance.now();
        stored = now.stored;
      }
      throw new Error(`the writer stored nothing for ${STALLED_MS / 1000} s: ${service.stderr().slice(-2_000)}`);
    },
  };
}
