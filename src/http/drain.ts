import { Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

/**
 * During this time responses have `Connection: close`, so that clients leave between two requests instead of losing
 * one. A client on a busy machine once took more than 300 ms for its next request.
 */
const FAREWELL_MS = 1_000;
/** The time limit of running requests. A longer one is cut off, so that logs and stores still close in time. */
const DRAIN_MS = 5_000;
const ASK_EVERY_MS = 50;

/** Stops all servers together without dropping a request that was sent in time. Their `isStopping` is already true. */
export async function drainServers(servers: readonly FastifyInstance[]): Promise<void> {
  await Promise.all(servers.map(drainServer));
}

async function drainServer(app: FastifyInstance): Promise<void> {
  const { server } = app;
  if (!server.listening) return;
  // First only new connections are refused. The HTTP server's own close would also end idle connections at once, and a
  // request that is just arriving on one would be lost.
  const closed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
  // Without connections there is nobody to wait for.
  await Promise.race([closed, delay(FAREWELL_MS, undefined, { ref: false })]);
  const asking = setInterval(() => server.closeIdleConnections(), ASK_EVERY_MS);
  const cutting = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(asking);
  clearTimeout(cutting);
}
