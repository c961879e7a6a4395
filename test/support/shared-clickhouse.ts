/**
 * One ClickHouse, or two, for a whole run where WebAssembly plays it: a start takes 5 s and 7 s of processor. Tests run in their
 * own processes; each asks the runner on a loopback port and holds the connection as long as it uses the server.
 *
 * The server's memory never shrinks, and its threads get stuck. One that has grown or worked long takes no further
 * process, and is replaced when the last one has left. A process that uses it already may ask again: it would otherwise wait for itself.
 */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import type { Usage } from "./chdb/host.ts";
import type { Address, Host } from "./chdb/start-host.ts";

const PORT = "TEST_CLICKHOUSE_PORT";
/** After its start it has 1.3 GB; the engine refuses statements beyond 1.4 GB of its own. */
const GROWN_BYTES = 2.5e9;
/** One that had worked for nine minutes waited for ever, twice, in statements that a new one answers. */
const MOST_CPU_SECONDS = 180;

function isUsedUp(usage: Usage | undefined): boolean {
  return usage === undefined || usage.bytes > GROWN_BYTES || usage.cpuSeconds > MOST_CPU_SECONDS;
}

/** For the runner. A process gets the server with the fewest processes, for as long as it holds its connection. */
export async function offerClickHouse(count: number): Promise<{ stop(): Promise<void> }> {
  const places = Array.from({ length: count }, createPlace);
  const server = createServer((socket) => {
    // A test that was killed leaves like any other.
    socket.on("error", () => undefined);
    socket.resume();
    const [freest] = places.toSorted((one, other) => one.users() - other.users());
    freest?.take(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  process.env[PORT] = String((server.address() as AddressInfo).port);
  return {
    async stop() {
      server.close();
      await Promise.all(places.map((place) => place.stop()));
    },
  };
}

interface Place {
  /** Those that wait included. */
  users(): number;
  take(socket: Socket): void;
  stop(): Promise<void>;
}

/** A server that starts for its first user, and those that come after it. */
function createPlace(): Place {
  const waiting: Socket[] = [];
  const users = new Set<Socket>();
  let host: Host | undefined;
  let isGrown = false;
  let isStopping = false;
  let work: Promise<unknown> = Promise.resolve();

  /** One step at a time, so that only one server runs. */
  function enqueue(step: () => Promise<void>): void {
    work = work.then(step).catch((cause: unknown) => {
      process.stderr.write(`ClickHouse did not start: ${String(cause)}\n`);
      for (const socket of waiting.splice(0)) socket.end();
    });
  }

  async function admit(): Promise<void> {
    if (isGrown && users.size > 0) return;
    if (isGrown) {
      const grown = host;
      host = undefined;
      await grown?.stop();
      isGrown = false;
    }
    if (waiting.length === 0) return;
    host ??= await start();
    for (const socket of waiting.splice(0)) {
      if (socket.destroyed) continue;
      users.add(socket);
      socket.write(`${JSON.stringify(host.address)}\n`);
    }
  }

  /** One that ends by itself is replaced like one that has grown. */
  async function start(): Promise<Host> {
    const started = await (await import("./chdb/start-host.ts")).startHost();
    void started.ended.then((said) => {
      if (host !== started || isStopping) return;
      process.stderr.write(`ClickHouse ended during the run: ${said}\n`);
      isGrown = true;
    });
    return started;
  }

  async function leave(socket: Socket): Promise<void> {
    if (users.delete(socket) && host !== undefined && !isGrown) isGrown = isUsedUp(await host.usage());
    await admit();
  }

  return {
    users: () => waiting.length + users.size,
    take(socket) {
      socket.once("close", () => enqueue(() => leave(socket)));
      waiting.push(socket);
      enqueue(admit);
    },
    async stop() {
      isStopping = true;
      await work;
      await host?.stop();
    },
  };
}

export interface Lease {
  readonly address: Address;
  release(): void;
}

let held: { readonly socket: Socket; readonly address: Promise<Address>; count: number } | undefined;

/** For tests: the run's server, or undefined outside of a run. */
export async function leaseClickHouse(): Promise<Lease | undefined> {
  const port = process.env[PORT];
  if (port === undefined) return undefined;
  if (held === undefined) {
    const socket = connect(Number(port), "127.0.0.1");
    held = { socket, address: readAddress(socket), count: 0 };
  }
  const mine = held;
  mine.count += 1;
  const release = () => {
    mine.count -= 1;
    if (mine.count > 0) return;
    mine.socket.destroy();
    if (held === mine) held = undefined;
  };
  try {
    return { address: await mine.address, release };
  } catch (cause) {
    release();
    throw cause;
  }
}

async function readAddress(socket: Socket): Promise<Address> {
  const lines = createInterface({ input: socket });
  const [line] = await Promise.race([once(lines, "line"), once(lines, "close")]);
  if (typeof line !== "string") throw new Error("the ClickHouse of this run did not start; the runner said why");
  return JSON.parse(line) as Address;
}
