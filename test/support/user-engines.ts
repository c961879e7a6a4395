/** The engines that run users' statements: the same statement has the same answer on each. */
import { text } from "node:stream/consumers";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { startClickhouseEngine } from "./clickhouse-engine.ts";
import { startLocalEngine } from "./local-engine.ts";
import { whyNoClickHouse } from "./platform.ts";

export interface UserEngine {
  readonly engine: AnalyticsEngine;
  stop(): Promise<void>;
}

export type EngineName = "DuckDB" | "ClickHouse";

interface EngineChoice {
  readonly name: EngineName;
  /** For the options of a suite. */
  readonly skip: string | false;
  start(): Promise<UserEngine>;
}

export const USER_ENGINES: readonly EngineChoice[] = [
  { name: "DuckDB", skip: false, start: startLocalEngine },
  { name: "ClickHouse", skip: whyNoClickHouse() ?? false, start: startClickhouseEngine },
];

export interface UserAnswer {
  readonly data: readonly Record<string, unknown>[];
  readonly total: number;
  readonly has_more: boolean;
}

/** WebAssembly on a machine with other work takes seconds for what takes milliseconds elsewhere. */
const PATIENCE_MS = 60_000;

/** The answer to a statement over the project `p`. */
export async function askEngine({ engine }: Pick<UserEngine, "engine">, sql: string): Promise<UserAnswer> {
  const project = { id: "p", firstDay: "1970-01-01" };
  const query = { sql, workspaceId: "w", project, format: "json", timeoutMs: PATIENCE_MS } as const;
  return JSON.parse(await text(await engine.runUserQuery(query, new AbortController().signal))) as UserAnswer;
}
