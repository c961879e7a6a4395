import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** The settings that the page passes to the SDK. */
export interface SdkSettings {
  writeKey: string;
  options: Record<string, unknown>;
}

export interface Site {
  port: number;
  close(): void;
}

/** The published bundle, byte for byte; the package contains it but does not export it. */
const SDK_MODULE = import.meta.resolve("@formo/analytics");
const SDK = readFileSync(new URL("../../index.umd.min.js", SDK_MODULE));
const SDK_PACKAGE = readFileSync(new URL("../../../package.json", SDK_MODULE), "utf8");
export const SDK_VERSION = (JSON.parse(SDK_PACKAGE) as { version: string }).version;

const SHOP = readFileSync(new URL("./shop.html", import.meta.url));
const GOODBYE = page("<h1>Goodbye</h1>");

/** A shop that measures its visitors with the SDK and, under any other host name, the site that links to it. */
export async function startSite(settings: SdkSettings, landing: string): Promise<Site> {
  const answer: RequestListener = (request, response) => {
    const send = (type: string, body: string | Buffer) => response.setHeader("content-type", type).end(body);
    const host = request.headers.host ?? "";
    const path = (request.url ?? "").split("?", 1)[0];
    if (path === "/favicon.ico") response.writeHead(204).end();
    else if (!host.startsWith("127.0.0.1")) {
      send("text/html", page(`<a id="result" href="http://127.0.0.1:${portOf(server)}${landing}">Shop</a>`));
    } else if (path === "/formo.js") send("text/javascript", SDK);
    else if (path === "/settings.js") send("text/javascript", `const settings = ${JSON.stringify(settings)};`);
    else if (path === "/goodbye") send("text/html", GOODBYE);
    else if (path === "/pricing") send("text/html", SHOP);
    else response.writeHead(404).end();
  };
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: portOf(server),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function portOf(server: ReturnType<typeof createServer>): number {
  return (server.address() as AddressInfo).port;
}

function page(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title><body>${body}</body></html>`;
}
