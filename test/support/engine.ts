import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDuckdb } from "../../src/engines/duckdb/process/client.ts";
import {
  type EmbeddedEngine,
  type EngineOptions,
  startEmbeddedEngine,
} from "../../src/engines/duckdb/process/supervisor.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { waitFor } from "./wait.ts";

/** The embedded engine as the service runs it, with its own process and directory, and a client. */
export interface TestEngine {
  readonly supervisor: EmbeddedEngine;
  readonly engine: AnalyticsEngine;
  readonly dir: string;
  readonly log: LogLines;
  stop(): Promise<void>;
}

export interface LogLines {
  readonly lines: string[];
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export function collectLog(): LogLines {
  const lines: string[] = [];
  const keep = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { lines, info: keep, warn: keep };
}

export function temporaryDir(): string {
  return mkdtempSync(join(tmpdir(), "sextant-engine-"));
}

/** With our schema. */
export async function startTestEngine(options: Partial<Omit<EngineOptions, "log">> = {}): Promise<TestEngine> {
  const dir = options.dir ?? temporaryDir();
  const log = collectLog();
  const supervisor = await startEmbeddedEngine({ ...options, dir, log });
  const engine = connectDuckdb({ url: () => supervisor.url(), token: supervisor.token });
  await engine.schema.migrate();
  return {
    supervisor,
    engine,
    dir,
    log,
    async stop() {
      await engine.close();
      await supervisor.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Kills the engine's process and resolves when the next one is ready, with the duration in milliseconds. */
export async function killEngine({ supervisor }: Pick<TestEngine, "supervisor">): Promise<number> {
  const { pid = 0, restarts } = supervisor.status();
  const killedAt = performance.now();
  process.kill(pid, "SIGKILL");
  await waitFor("the engine to be back", () => {
    const status = supervisor.status();
    return status.restarts > restarts && status.state === "ready";
  });
  return performance.now() - killedAt;
}
