/**
 * A ClickHouse for tests, with an empty database for each. TEST_CLICKHOUSE_URL (http://user:password@host:port) selects
 * a server; without it chdb plays one in a child process, where npm has chdb's native part.
 */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import type { Ready } from "./chdb/host.ts";

export interface TestClickHouse {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Exists and is empty. */
  readonly database: string;
  stop(): Promise<void>;
}

type Server = Omit<TestClickHouse, "database">;

const HOST = fileURLToPath(new URL("./chdb/host.ts", import.meta.url));
/** Every running statement occupies one of Node's threads; ClickHouse itself runs 100 at once. */
const THREADS = 128;
/** For a server that is emulated or shared by a whole test run. */
const PATIENCE_MS = 120_000;

export async function startClickHouse(): Promise<TestClickHouse> {
  const given = process.env.TEST_CLICKHOUSE_URL ?? "";
  const server = given === "" ? await startChdb() : givenServer(given);
  const database = `t_${randomBytes(8).toString("hex")}`;
  const stop = async () => {
    // Our own server is removed with its data.
    if (given !== "") await command(server, `DROP DATABASE IF EXISTS ${database} SYNC`);
    await server.stop();
  };
  try {
    await command(server, `CREATE DATABASE ${database}`);
  } catch (cause) {
    await server.stop();
    throw cause;
  }
  return { ...server, database, stop };
}

function givenServer(given: string): Server {
  const { origin, username, password } = new URL(given);
  return {
    url: origin,
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    stop: async () => undefined,
  };
}

async function startChdb(): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), "sextant-clickhouse-"));
  const password = randomBytes(12).toString("hex");
  const env = { ...process.env, TZ: "UTC", UV_THREADPOOL_SIZE: String(THREADS) };
  const child = fork(HOST, [dir, password], { env, execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const exited = once(child, "close");
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
    rmSync(dir, { recursive: true, force: true });
  };
  const ready = await Promise.race([once(child, "message"), exited.then(() => undefined)]);
  if (ready === undefined) {
    await stop();
    throw new Error(`chdb did not start: ${said}`);
  }
  const { port } = ready[0] as Ready;
  return { url: `http://127.0.0.1:${port}`, username: "sextant", password, stop };
}

async function command({ url, username, password }: Server, query: string): Promise<void> {
  const client = createClient({
    url,
    username,
    password,
    request_timeout: PATIENCE_MS,
    log: { level: ClickHouseLogLevel.OFF },
  });
  try {
    await client.command({ query });
  } finally {
    await client.close();
  }
}
