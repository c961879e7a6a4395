import { connect, createServer, type Socket } from "node:net";

/** A connection between a client and a real server that can be cut and restored. */
export async function createProxy(
  host: string,
  port: number,
): Promise<{ port: number; cut(): void; mend(): void; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let whole = true;
  const server = createServer((client) => {
    if (!whole) {
      client.destroy();
      return;
    }
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => socket.destroy());
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      whole = false;
      drop();
    },
    mend() {
      whole = true;
    },
    async close() {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * A connection that can lose responses: while it is deaf, the server's bytes are dropped. Healing it closes open
 * sockets.
 */
export async function createDeafProxy(
  host: string,
  port: () => number,
): Promise<{ port: number; deafen(): void; heal(): void; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let hears = true;
  const server = createServer((client) => {
    const upstream = connect(port(), host);
    sockets.add(client);
    client.on("close", () => {
      sockets.delete(client);
      upstream.destroy();
    });
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    client.pipe(upstream);
    upstream.on("data", (chunk) => void (hears && client.write(chunk)));
    upstream.on("close", () => void (hears && client.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    deafen() {
      hears = false;
    },
    heal() {
      hears = true;
      drop();
    },
    async close() {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
