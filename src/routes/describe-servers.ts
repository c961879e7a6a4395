import type { ErrorStyle } from "../contract/error-body.ts";
import { buildOpenApi, type ServerDoc } from "../http/openapi.ts";
import type { Route } from "../http/route.ts";
import { type ApiNeeds, apiRoutes, eventsRoutes } from "./index.ts";
import { type OpsNeeds, opsRoutes } from "./ops/ops.ts";

/** The servers with their routes: used to build them, for OpenAPI and for tests that cover all routes. */
export function describeServers(
  options: { version: string; apiUrl: () => string; eventsUrl: () => string; opsUrl: () => string },
  needs: Omit<ApiNeeds, "openapi">,
  opsNeeds: OpsNeeds,
): Record<ServerDoc["name"], ServerDoc> {
  let kept: { urls: string; document: object } | undefined;
  // Built once the ports are known, and again only if the addresses change.
  const openapi = (): object => {
    const urls = `${options.apiUrl()} ${options.eventsUrl()} ${options.opsUrl()}`;
    if (kept?.urls !== urls)
      kept = { urls, document: buildOpenApi([docs.api, docs.events, docs.ops], options.version) };
    return kept.document;
  };
  const docs: Record<ServerDoc["name"], ServerDoc> = {
    api: server("api", "API server", options.apiUrl, apiStyle, apiRoutes({ ...needs, openapi })),
    events: server("events", "Events server", options.eventsUrl, () => "events", eventsRoutes()),
    ops: server("ops", "Operations port", options.opsUrl, () => "plain", opsRoutes(opsNeeds)),
  };
  return docs;
}

function server(
  name: ServerDoc["name"],
  about: string,
  url: () => string,
  style: ServerDoc["style"],
  routes: Route[],
): ServerDoc {
  return {
    name,
    about,
    style,
    routes,
    get url() {
      return url();
    },
  };
}

/** Hosted forms belong to the form endpoints, so a program gets the same error envelope from both. */
function apiStyle(path: string): ErrorStyle {
  return /^\/(api|f)([/?]|$)/.test(path) ? "api" : "plain";
}
