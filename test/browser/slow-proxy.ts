import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Between the browser and the service: some answers are held back. Unlike a request that the browser itself holds, one
 * of these keeps its connection, of which a browser opens six.
 */
export interface SlowProxy {
  url: string;
  /** The paths of the requests that have arrived, in order. */
  asked: string[];
  /** From now on, answers to paths that match wait for `release`. */
  hold(path: RegExp): void;
  release(): void;
  close(): void;
}

export async function startSlowProxy(target: string): Promise<SlowProxy> {
  const { hostname, port, host } = new URL(target);
  const asked: string[] = [];
  let held: RegExp | undefined;
  let waiting: (() => void)[] = [];
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, url: path, headers } = incoming;
    const upstream = request({ hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  };
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? "");
    if (held?.test(incoming.url ?? "")) waiting.push(() => forward(incoming, outgoing));
    else forward(incoming, outgoing);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    hold(path) {
      held = path;
    },
    release() {
      held = undefined;
      for (const go of waiting.splice(0)) go();
      waiting = [];
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
