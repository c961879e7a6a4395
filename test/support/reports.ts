import { Readable } from "node:stream";
import type { SystemState } from "../../src/contract/system.ts";
import type { LiveHub } from "../../src/query/live/hub.ts";
import type { RunLookup } from "../../src/query/run/run-lookup.ts";
import type { ReportAnswer, RunReport } from "../../src/query/run/run-report.ts";
import type { RunSql } from "../../src/query/sql/run-sql.ts";

const NO_ROWS: ReportAnswer = {
  meta: [],
  data: [],
  rows: 0,
  rows_before_limit_at_least: 0,
  statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 },
  timezone: "UTC",
};

/** Replaces the engine in tests about access: answers with the scope it was given. */
export const ECHO_ENGINE_MS = 250;

export const echoReport: RunReport = async (name, scope, query, _signal, spent) => {
  await spent?.(ECHO_ENGINE_MS);
  return { ...NO_ROWS, name, scope, query };
};

export const echoLookup: RunLookup = async <T>({ name }: { name: string }, scope: unknown) => ({ name, scope }) as T;

export const echoSql: RunSql = async (owner, question, _signal, spent) => {
  await spent?.(ECHO_ENGINE_MS);
  return { contentType: "application/json", body: Readable.from([JSON.stringify({ owner, question })]) };
};

/** For tests without streams. */
export const noLive: LiveHub = {
  open: () => Promise.reject(new Error("this test has no streams")),
  count: () => 0,
  close: () => undefined,
};

/** The facts of a service without stores of its own. */
export const noSystem = async (): Promise<SystemState> => ({
  node: "24",
  upSeconds: 0,
  engine: { name: "DuckDB", version: null },
  controlStore: { name: "SQLite", version: null },
  disk: { dataBytes: null, freeBytes: null, totalBytes: null },
  checks: {},
});
