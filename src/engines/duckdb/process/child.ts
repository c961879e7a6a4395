/**
 * The process that owns the database. A crash or an out-of-memory in native code ends this process and not the service.
 * It ends with the IPC channel to its parent, by SIGKILL (60 of 60 files opened after kill -9), so that no orphan is
 * left.
 */
import { accessSync, constants } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { makeDirs } from "../../../lib/make-dirs.ts";
import type { LocalEngine } from "../engine.ts";
import { lockDirectory } from "./lock.ts";
import type { FromEngine, ToEngine } from "./messages.ts";
import { type EngineServer, listen } from "./server.ts";
import { watchMemory } from "./watch-memory.ts";

type Start = Extract<ToEngine, { type: "start" }>;

/**
 * Referenced for the life of the process: garbage collection would release the lock. DuckDB's own lock does not prevent
 * a process from opening a file twice.
 */
let lock: Awaited<ReturnType<typeof lockDirectory>> | undefined;
let engine: LocalEngine | undefined;
let server: EngineServer | undefined;

// Threads that start later inherit the priority: on few cores the servers come first. Some systems forbid it.
try {
  setPriority(5);
} catch {
  // Then both have the same priority.
}
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
// A terminal sends these to the whole process group. The parent stops the engine, after the last batch.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
process.on("message", (message: ToEngine) => {
  if (message.type === "start") void start(message);
  else void stop(message.graceMs);
});

async function start({ dir, limits, token, port, lockWaitMs }: Start): Promise<void> {
  try {
    prepare(dir);
    lock = await lockDirectory(dir, lockWaitMs);
    const { openLocalEngine } = await loadEngine();
    engine = await openLocalEngine({
      path: join(dir, "warehouse.duckdb"),
      limits,
      nowMs: () => Date.now(),
      onFatal: endNow,
      onStuck: (workspaceId) => void restart(workspaceId),
      onMended: (what) => process.stderr.write(`${what}\n`),
      onFailure: (cause) => process.stderr.write(`a checkpoint failed: ${String(cause)}\n`),
    });
    watchMemory(engine, limits.processBytes);
    server = await listenOn(engine, token, port);
    send({ type: "ready", port: server.port });
  } catch (cause) {
    const [reason = "unknown"] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    send({ type: "failed", reason });
  }
}

/** The service starts the next process, which recovers the file as after a crash. */
function endNow(cause: Error): void {
  process.stderr.write(`the database failed: ${cause.message.split("\n")[0]}\n`);
  process.kill(process.pid, "SIGKILL");
}

/**
 * A statement of a user runs on after its limit. Its caller has been told; the others ask the next process, which is
 * ready in 0.2 s.
 */
async function restart(workspaceId: string): Promise<void> {
  process.stderr.write(`a statement of workspace ${workspaceId} runs on after its limit: the engine is restarted\n`);
  await server?.restart();
  process.kill(process.pid, "SIGKILL");
}

/** The binding is a package per platform; on a platform without one, npm installs none. */
async function loadEngine(): Promise<typeof import("../engine.ts")> {
  try {
    return await import("../engine.ts");
  } catch (cause) {
    if (!(cause instanceof Error) || !/duckdb/i.test(cause.message)) throw cause;
    throw new Error(
      `DuckDB has no build for this platform (${process.platform}-${process.arch}): ` +
        "set SEXTANT_CLICKHOUSE_URL to use a ClickHouse instead",
      { cause },
    );
  }
}

/** If the previous port is taken, any other is used; the parent gives clients the new address. */
async function listenOn(served: LocalEngine, token: string, port: number): Promise<EngineServer> {
  try {
    return await listen(served, { token, port });
  } catch (cause) {
    if (port === 0) throw cause;
    return listen(served, { token, port: 0 });
  }
}

function prepare(dir: string): void {
  try {
    makeDirs(dir);
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `cannot use the engine directory ${dir}: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/** Accepts no more calls; running calls have `graceMs` to end. The rest end with the process, which is safe. */
async function stop(graceMs: number): Promise<void> {
  await server?.close(graceMs);
  await engine?.close();
  lock?.release();
  process.exit(0);
}

function send(message: FromEngine): void {
  // Without the callback a send to a parent that has just ended would throw.
  process.send?.(message, () => undefined);
}
