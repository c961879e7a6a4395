import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to connections and to servers that ask for any: none of them gets it meanwhile. */
const [LOWEST, HIGHEST] = [20_000, 30_000];
const MOST_TRIES = 100;

/** For an address that must be known before its server starts. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch (cause) {
      if (tries === MOST_TRIES) throw cause;
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
