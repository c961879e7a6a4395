/**
 * A ClickHouse for tests, with an empty database for each. TEST_CLICKHOUSE_URL (http://user:password@host:port) selects
 * a server. Without it chdb plays one: where npm has its native part in a process for each caller, elsewhere as
 * WebAssembly in one process for the whole run.
 */
import { randomBytes } from "node:crypto";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { type Address, startHost } from "./chdb/start-host.ts";
import { findChdb } from "./platform.ts";
import { leaseClickHouse } from "./shared-clickhouse.ts";

export interface TestClickHouse extends Address {
  /** Exists and is empty. */
  readonly database: string;
  stop(): Promise<void>;
}

/** `isOwn`: it ends with its caller, and its data with it. */
interface Server {
  readonly address: Address;
  readonly isOwn: boolean;
  stop(): Promise<void>;
}

/** For a server that is emulated or shared by a whole test run. */
const PATIENCE_MS = 120_000;

export async function startClickHouse(): Promise<TestClickHouse> {
  const { address, isOwn, stop } = await openServer();
  const database = `t_${randomBytes(8).toString("hex")}`;
  try {
    await command(address, `CREATE DATABASE ${database}`);
  } catch (cause) {
    await stop();
    throw cause;
  }
  return {
    ...address,
    database,
    async stop() {
      if (!isOwn) await command(address, `DROP DATABASE IF EXISTS ${database} SYNC`);
      await stop();
    },
  };
}

async function openServer(): Promise<Server> {
  const given = process.env.TEST_CLICKHOUSE_URL ?? "";
  if (given !== "") return { address: addressOf(given), isOwn: false, stop: async () => undefined };
  const lease = findChdb() === "wasm" ? await leaseClickHouse() : undefined;
  if (lease !== undefined) return { address: lease.address, isOwn: false, stop: async () => lease.release() };
  return { ...(await startHost()), isOwn: true };
}

function addressOf(given: string): Address {
  const { origin, username, password } = new URL(given);
  return { url: origin, username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

async function command({ url, username, password }: Address, query: string): Promise<void> {
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
