import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineLimits } from "../../src/engines/embedded/limits.ts";
import { type EmbeddedEngine, startEmbeddedEngine } from "../../src/engines/embedded/supervisor.ts";

/** A real embedded engine in a directory of its own. */
export interface TestEngine {
  readonly engine: EmbeddedEngine;
  readonly dir: string;
  readonly log: LogLines;
  /** One request over plain HTTP, with credentials unless `anonymous`. */
  ask(call: Call): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Call {
  readonly query?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly path?: string;
  readonly anonymous?: boolean;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
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

export async function startTestEngine(
  options: { limits?: Partial<EngineLimits>; silenceMs?: number; lockWaitMs?: number; dir?: string } = {},
): Promise<TestEngine> {
  const dir = options.dir ?? temporaryDir();
  const log = collectLog();
  const engine = await startEmbeddedEngine({ ...options, dir, log });
  return {
    engine,
    dir,
    log,
    ask: (call) => ask(engine, call),
    async stop() {
      await engine.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function ask(engine: EmbeddedEngine, call: Call): Promise<Answer> {
  const url = new URL(call.path ?? "/", engine.url());
  if (call.query !== undefined) url.searchParams.set("query", call.query);
  for (const [name, value] of Object.entries(call.params ?? {})) url.searchParams.append(name, value);
  const headers: Record<string, string> = { ...call.headers };
  if (call.anonymous !== true) {
    headers["X-ClickHouse-User"] ??= engine.username;
    headers["X-ClickHouse-Key"] ??= engine.password;
  }
  const response = await fetch(url, {
    method: call.method ?? (call.body === undefined ? "GET" : "POST"),
    headers,
    ...(call.body === undefined ? {} : { body: call.body }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Waits for a condition, never for a time. */
export async function until<T>(
  what: string,
  find: () => Promise<T | undefined> | T | undefined,
  ms = 10_000,
): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    await sleep(10);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: nobody there, which is the answer.
    return false;
  }
}
