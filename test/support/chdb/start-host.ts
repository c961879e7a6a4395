/** Starts a process of `host.ts` and stops it with its data. */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChdb } from "../platform.ts";
import type { Ready, Usage } from "./host.ts";
import { LONG_RUN_FLAGS, WASM_FLAGS } from "./open-wasm.ts";

/** Where a ClickHouse answers, and as whom. */
export interface Address {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

export interface Host {
  readonly address: Address;
  /** Undefined after its end. */
  usage(): Promise<Usage | undefined>;
  /** Resolves when the process has ended, with its last words. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Set by scripts that ask for an hour. */
export const LONG_RUN = "TEST_CLICKHOUSE_LONG_RUN";
const HOST = fileURLToPath(new URL("./host.ts", import.meta.url));
/** Every running statement occupies one of Node's threads; ClickHouse itself runs 100 at once. */
const THREADS = 128;

export async function startHost(): Promise<Host> {
  const dir = mkdtempSync(join(tmpdir(), "sextant-clickhouse-"));
  const password = randomBytes(12).toString("hex");
  const env = { ...process.env, TZ: "UTC", UV_THREADPOOL_SIZE: String(THREADS) };
  const execArgv = findChdb() === "native" ? [] : process.env[LONG_RUN] === "1" ? LONG_RUN_FLAGS : WASM_FLAGS;
  const child = fork(HOST, [dir, password], { env, execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const exited = once(child, "close");
  const received = async () => {
    const [message] = await Promise.race([once(child, "message"), exited.then(() => [undefined])]);
    return message as unknown;
  };
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
    rmSync(dir, { recursive: true, force: true });
  };
  const ready = (await received()) as Ready | undefined;
  if (ready === undefined) {
    await stop();
    throw new Error(`chdb did not start: ${said}`);
  }
  return {
    address: { url: `http://127.0.0.1:${ready.port}`, username: "sextant", password },
    async usage() {
      if (!child.connected) return undefined;
      const answer = received();
      child.send("usage");
      return (await answer) as Usage | undefined;
    },
    ended: exited.then(() => said),
    stop,
  };
}
