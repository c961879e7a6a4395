import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The connection from the browser to a server. It can be slow: it then holds requests until they are released. */
export interface Wire {
  port: number;
  hold(): void;
  /** Whether a request is being held. */
  isHolding(): boolean;
  release(): void;
  close(): void;
}

interface Connection {
  client: Socket;
  upstream: Socket;
  held: Buffer[];
}

/** A held request is lost when the browser disconnects, as it does when the page has left, unless it is `keepalive`. */
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
      // A cut connection also closes, and only closing matters.
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
