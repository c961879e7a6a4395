import { readFileSync } from "node:fs";
import {
  createServer as createHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";

/**
 * Servers that webhooks are sent to. The certificate is valid for localhost and 127.0.0.1 until 2126, and self-signed:
 * openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj "/CN=Sextant test target"
 *   -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" -keyout localhost.key -out localhost.crt
 */
export const TARGET_CERTIFICATE = readFileSync(new URL("./tls/localhost.crt", import.meta.url), "utf8");
export const TARGET_KEY = readFileSync(new URL("./tls/localhost.key", import.meta.url), "utf8");

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Target {
  /** Without a path or a final slash. */
  url: string;
  port: number;
  /** In the order of their last bytes. */
  received: readonly Received[];
  /** Opened so far, and open now. */
  connections(): { made: number; open: number };
  close(): Promise<void>;
}

type Respond = (response: ServerResponse, request: Received) => void;

/** An HTTP server that answers as configured, after it has read the whole request. */
export async function startTarget(
  respond: Respond,
  options: { secure?: boolean; host?: string; port?: number } = {},
): Promise<Target> {
  const received: Received[] = [];
  const listener = async (message: IncomingMessage, response: ServerResponse) => {
    const { method = "", url: path = "", headers } = message;
    const request = { method, path, headers, body: await text(message) };
    received.push(request);
    respond(response, request);
  };
  // A client that disconnects during its request is not a failure of the target.
  const onRequest = (message: IncomingMessage, response: ServerResponse) =>
    void listener(message, response).catch(() => 0);
  const server = options.secure
    ? createHttps({ key: TARGET_KEY, cert: TARGET_CERTIFICATE }, onRequest)
    : createHttp(onRequest);
  return listen(server, options.secure ? "https" : "http", received, options);
}

/** A server without HTTP: it handles each connection as configured. */
export async function startSocketTarget(
  onConnection: (socket: Socket) => void,
  options: { secure?: boolean } = {},
): Promise<Target> {
  const server = createTcp((socket) => {
    socket.on("error", () => socket.destroy());
    onConnection(socket);
    // Unread bytes would hide that the other side has closed.
    socket.resume();
  });
  return listen(server, options.secure ? "https" : "http", [], {});
}

/** Sends as fast as the other side reads, without an end. */
export function endless(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, "x");
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more).writeHead(200);
  more();
}

/** Sends a byte now and then, without an end: no idle timer ever fires. */
export function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write("."), 20);
  response.on("close", () => clearInterval(timer));
}

async function listen(
  server: Server,
  scheme: string,
  received: readonly Received[],
  { host = "127.0.0.1", port = 0 }: { host?: string; port?: number },
): Promise<Target> {
  const sockets = new Set<Socket>();
  let made = 0;
  server.on("connection", (socket) => {
    made += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    received,
    connections: () => ({ made, open: sockets.size }),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
