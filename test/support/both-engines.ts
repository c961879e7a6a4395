/** Both engines, for tests of what is stored and answered, whichever engine does it. */
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { startClickhouseEngine } from "./clickhouse-engine.ts";
import { startLocalEngine } from "./local-engine.ts";
import { whyNoClickHouse } from "./platform.ts";

export interface StartedEngine {
  readonly engine: AnalyticsEngine;
  stop(): Promise<void>;
}

export interface EngineKind {
  readonly name: "DuckDB" | "ClickHouse";
  /** Why its tests cannot run here. */
  readonly skip: string | false;
  start(options?: { nowMs?: () => number }): Promise<StartedEngine>;
}

export const ENGINES: readonly EngineKind[] = [
  { name: "DuckDB", skip: false, start: startLocalEngine },
  { name: "ClickHouse", skip: whyNoClickHouse() ?? false, start: startClickhouseEngine },
];
