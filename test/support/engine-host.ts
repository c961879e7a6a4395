import { startEmbeddedEngine } from "../../src/engines/duckdb/process/supervisor.ts";

/** A service reduced to its engine, for tests that kill the service. Prints the engine's address and stays. */
const [dir = ""] = process.argv.slice(2);
const quiet = { info: () => undefined, warn: () => undefined };
try {
  const engine = await startEmbeddedEngine({ dir, log: quiet, lockWaitMs: 300 });
  console.log(JSON.stringify({ pid: engine.status().pid, url: engine.url() }));
  setInterval(() => undefined, 1_000);
} catch (cause) {
  console.log(JSON.stringify({ failed: cause instanceof Error ? cause.message : String(cause) }));
}
