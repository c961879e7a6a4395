import { accessSync, constants, mkdirSync } from "node:fs";
import { setPriority } from "node:os";
import { lockDirectory } from "./lock.ts";
import type { FromEngine, ToEngine } from "./messages.ts";
import { type OpenEngine, openEngine } from "./open-engine.ts";
import { type Listener, listen } from "./server.ts";

/**
 * The process that owns the embedded engine. A crash or an out-of-memory in native code ends this process and not the
 * service. It lives as long as its parent's channel: without a parent it kills itself (kill -9 during inserts was shown
 * to be safe, 15 of 15), so nobody has to find and end it.
 */
type Start = Extract<ToEngine, { type: "start" }>;

/** Held here for life: what nobody refers to is collected, and the lock with it. */
let lock: Awaited<ReturnType<typeof lockDirectory>> | undefined;
let engine: OpenEngine | undefined;
let listener: Listener | undefined;

// Its threads, made later, inherit it: the servers come first where cores are few.
setPriority(10);
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
// The terminal sends these to the whole group; the parent decides when the engine goes, after the last insert.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
process.on("message", (message: ToEngine) => {
  if (message.type === "start") void start(message);
  else void stop(message.graceMs);
});

async function start(message: Start): Promise<void> {
  try {
    const { dir, limits, credentials } = message;
    prepare(dir);
    lock = await lockDirectory(dir, message.lockWaitMs);
    engine = await openEngine(dir, limits);
    listener = await listenOn({ ...engine, limits, credentials }, message.port);
    send({ type: "ready", port: listener.port, version: engine.version });
  } catch (cause) {
    const [reason = "unknown"] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    send({ type: "failed", reason });
  }
}

/** The old port may be taken by now; any other will do, the parent tells the clients. */
async function listenOn(deps: Parameters<typeof listen>[0], port: number): ReturnType<typeof listen> {
  try {
    return await listen(deps, port);
  } catch (cause) {
    if (port === 0) throw cause;
    return listen(deps, 0);
  }
}

function prepare(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `cannot use the engine directory ${dir}: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/** No new queries; the running ones get `graceMs`. What is left then is killed with the process, which is safe. */
async function stop(graceMs: number): Promise<void> {
  await listener?.close(graceMs);
  if (engine?.runner.idle() === true) {
    engine.close();
    lock?.release();
  }
  process.exit(0);
}

function send(message: FromEngine): void {
  // The callback form: without it a send to a parent that is just gone would throw instead of ending here.
  process.send?.(message, () => undefined);
}
