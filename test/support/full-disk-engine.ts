/**
 * Stores events in an engine whose file can then grow no further, and makes a checkpoint: `full-disk-engine.ts <dir>`.
 * It needs its own process because of the limit, and exits with 9 when the engine cannot continue.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openLocalEngine } from "../../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../../src/engines/duckdb/limits.ts";
import { sampleEvent } from "./events.ts";
import { createTestWriter } from "./local-engine.ts";

const CANNOT_GO_ON = 9;
const EVENTS = 1500;
const engine = await openLocalEngine({
  path: join(process.argv[2] ?? "", "warehouse.duckdb"),
  limits: DEFAULT_LIMITS,
  nowMs: Date.now,
  onFatal: () => process.exit(CANNOT_GO_ON),
});
await engine.schema.migrate();
const write = await createTestWriter(engine, "n");
const events = Array.from({ length: EVENTS }, (_, i) =>
  sampleEvent(`m-${i}`, { properties: JSON.stringify({ noise: randomBytes(1500).toString("base64") }) }),
);
await write("p", events, Date.now());
execFileSync("prlimit", ["--pid", String(process.pid), "--fsize=300000:unlimited"]);
const store = await engine.openBatchStore({ nodeId: "n", cursorFile: "" });
await store.flush(new AbortController().signal);
