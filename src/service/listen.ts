import type { FastifyInstance } from "fastify";
import type { Config } from "../installation/config.ts";
import type { Servers } from "../routes/servers.ts";
import { StartError } from "./start-error.ts";

/** The addresses of the servers. Complete only after the servers listen, because a port may be any free one. */
export interface Urls {
  api: string;
  events: string;
  ops: string;
}

export function configuredUrls(config: Config): Urls {
  return { api: config.PUBLIC_API_URL, events: config.PUBLIC_EVENTS_URL, ops: "" };
}

/**
 * Opens the ports of this node's roles and completes `urls`. Resolves with the public URLs of the opened servers; the
 * URL of a server that this node does not run is empty. `localEvents` is the address on this machine.
 */
export async function listenAll(
  servers: Servers,
  config: Config,
  urls: Urls,
): Promise<{ readonly api: string; readonly events: string; readonly localEvents: string }> {
  const { ROLES, HOST, API_PORT, EVENTS_PORT, OPS_HOST, OPS_PORT } = config;
  // All are tried before the start ends: whoever runs another service on these ports learns of each at once.
  const problems: string[] = [];
  const open = (app: FastifyInstance, host: string, port: number, setting: string) =>
    listen(app, host, port, setting).catch((cause: StartError) => {
      problems.push(cause.message);
      return "";
    });
  urls.ops = await open(servers.ops, OPS_HOST, OPS_PORT, "OPS_PORT");
  const api = ROLES.includes("api") ? await open(servers.api, HOST, API_PORT, "API_PORT") : "";
  const events = ROLES.includes("ingest") ? await open(servers.events, HOST, EVENTS_PORT, "EVENTS_PORT") : "";
  if (problems.length > 0) throw new StartError(problems.join("\n"));
  urls.api ||= api || toUrl(HOST, API_PORT);
  urls.events ||= events || toUrl(HOST, EVENTS_PORT);
  return { api: api && urls.api, events: events && urls.events, localEvents: events };
}

async function listen(app: FastifyInstance, host: string, port: number, setting: string): Promise<string> {
  // The banner names the addresses; Fastify's own lines would stand around it.
  const { level } = app.log;
  app.log.level = "warn";
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "EADDRINUSE")
      throw new StartError(`port ${port} on ${host} is taken: stop that process, or set SEXTANT_${setting}`);
    if (code === "EACCES")
      throw new StartError(`port ${port} on ${host} cannot be opened by this user: set SEXTANT_${setting}`);
    throw new StartError(`cannot listen on ${host}:${port}: ${(cause as Error).message}`);
  } finally {
    app.log.level = level;
  }
  const address = app.server.address();
  return toUrl(host, typeof address === "object" && address !== null ? address.port : port);
}

/** An address to paste: a server on every interface is reached on loopback from the same machine. */
function toUrl(host: string, port: number): string {
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
}
