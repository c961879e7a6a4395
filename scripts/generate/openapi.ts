/** Builds openapi.json from the route tables. */
import { readFileSync } from "node:fs";
import { Registry } from "prom-client";
import { buildOpenApi, type ServerDoc } from "../../src/http/openapi.ts";
import { describeServers } from "../../src/routes/describe-servers.ts";
import type { ApiNeeds } from "../../src/routes/index.ts";

/** The route tables with the default addresses. */
export function defaultServers(): Record<ServerDoc["name"], ServerDoc> {
  const urls = {
    apiUrl: () => "http://127.0.0.1:3000",
    eventsUrl: () => "http://127.0.0.1:3001",
    opsUrl: () => "http://127.0.0.1:3002",
  };
  return describeServers(
    { version: packageVersion(), ...urls },
    // Tables use their needs only when a request comes.
    {} as ApiNeeds,
    { checks: [], roles: [], registry: new Registry(), isStopping: () => false },
  );
}

export function openapiDocument(): object {
  const { api, events, ops } = defaultServers();
  return buildOpenApi([api, events, ops], packageVersion());
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
