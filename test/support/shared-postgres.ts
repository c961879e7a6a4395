/**
 * One PostgreSQL for a whole run, started for the first test that needs it: a run without such a test saves 1 s. Tests
 * run in their own processes, so they connect to the runner on a loopback port and receive the server's address.
 */
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import type { StartedPostgres } from "../../scripts/generate/postgres.ts";

const PORT = "TEST_POSTGRES_PORT";

/** For the runner. */
export async function offerPostgres(): Promise<{ stop(): Promise<void> }> {
  let started: Promise<StartedPostgres> | undefined;
  const server = createServer((socket) => {
    // A test that was killed while it waited does not matter here.
    socket.on("error", () => undefined);
    started ??= import("../../scripts/generate/postgres.ts").then(({ startPostgres }) => startPostgres());
    started.then(
      ({ url }) => socket.end(url),
      (cause: unknown) => {
        process.stderr.write(`PostgreSQL did not start: ${String(cause)}\n`);
        socket.end();
      },
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  process.env[PORT] = String((server.address() as AddressInfo).port);
  return {
    async stop() {
      server.close();
      const running = await started?.catch(() => undefined);
      await running?.stop();
    },
  };
}

/** For tests: whether they share the server of a run. */
export function hasSharedPostgres(): boolean {
  return process.env[PORT] !== undefined;
}

/** For tests: the address of the run's server, or undefined outside of a run. */
export async function findSharedPostgres(): Promise<string | undefined> {
  const port = process.env[PORT];
  if (port === undefined) return undefined;
  const url = await text(connect(Number(port), "127.0.0.1"));
  if (url === "") throw new Error("the PostgreSQL of this run did not start; the runner said why");
  return url;
}
