import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

/** Answers of this time say `Connection: close`, so that clients move on between two requests instead of losing one. */
const FAREWELL_MS = 300;
/** Requests under way may take this long; whoever is not done then is cut off, so that logs and stores still close in time. */
const DRAIN_MS = 5_000;
const ASK_EVERY_MS = 50;

/** Stops all servers together without dropping a request that was sent in time. Their `isStopping` is true by now. */
export async function drainServers(servers: readonly FastifyInstance[]): Promise<void> {
  if (servers.some((app) => app.server.listening)) await delay(FAREWELL_MS);
  await Promise.all(servers.map(drainServer));
}

async function drainServer(app: FastifyInstance): Promise<void> {
  const asking = setInterval(() => app.server.closeIdleConnections(), ASK_EVERY_MS);
  const cutting = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  try {
    await app.close();
  } finally {
    clearInterval(asking);
    clearTimeout(cutting);
  }
}
