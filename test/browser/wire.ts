import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The way from the browser to a server, which can be slow: it then keeps what is sent until it is let go. */
export interface Wire {
  port: number;
  hold(): void;
  /** Whether something is on its way. */
  isHolding(): boolean;
  release(): void;
  close(): void;
}

interface Connection {
  client: Socket;
  upstream: Socket;
  held: Buffer[];
}

/** What is held is lost when the browser hangs up, as it does on requests whose page has left, unless they are `keepalive`. */
export async function startWire(port: number): Promise<Wire> {
  const connections = new Set<Connection>();
  let holding = false;
  const server = createServer((client) => {
    const connection: Connection = { client, upstream: connect(port, "127.0.0.1"), held: [] };
    const { upstream, held } = connection;
    connections.add(connection);
    client.on("data", (chunk) => void (holding ? held.push(chunk) : upstream.write(chunk)));
    upstream.pipe(client);
    for (const socket of [client, upstream]) {
      // A cut connection closes as well, and closing is what counts.
      socket.on("error", () => undefined);
      socket.on("close", () => {
        drop(connection);
      });
    }
  });
  const drop = (connection: Connection) => {
    connections.delete(connection);
    connection.client.destroy();
    connection.upstream.destroy();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    hold() {
      holding = true;
    },
    isHolding: () => [...connections].some(({ held }) => held.length > 0),
    release() {
      holding = false;
      for (const { upstream, held } of connections) for (const chunk of held.splice(0)) upstream.write(chunk);
    },
    close() {
      server.close();
      for (const connection of connections) drop(connection);
    },
  };
}
