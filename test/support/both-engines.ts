/** Both engines, for tests of what is stored and answered, whichever engine does it. */
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { ONLY_LONG } from "../../src/lib/testing.ts";
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

/** For tests of many reports, each of which an emulated ClickHouse plans for seconds. */
export const BOTH_IN_LONG: readonly EngineKind[] = ENGINES.map((kind) =>
  kind.name === "ClickHouse" ? { ...kind, skip: kind.skip || ONLY_LONG } : kind,
);
