import { openapiDocument } from "../../scripts/generate/openapi.ts";

type Paths = Record<string, Record<string, { responses: Record<string, unknown> }>>;

/** Every server of a test asks when it stops, and making the document takes 0.13 s. */
let documented: Paths | undefined;

/** Statuses in a server's log that OpenAPI does not document for the route. */
export function findUndocumented(logs: readonly string[]): string[] {
  documented ??= (openapiDocument() as { paths: Paths }).paths;
  const paths = documented;
  const found = new Set<string>();
  for (const line of logs) {
    const { msg, method, route, status } = JSON.parse(line) as Record<string, string>;
    if (msg !== "answered" || method === undefined || route === undefined) continue;
    const name = method === "HEAD" ? "get" : method.toLowerCase();
    // Routes of a test's own, and paths that are none, are in no document.
    const responses = paths[route.replaceAll(/:(\w+)/g, "{$1}")]?.[name]?.responses;
    if (responses && !(String(status) in responses) && !BEFORE_THE_ROUTE.has(Number(status)))
      found.add(`${method} ${route} ${status}`);
  }
  return [...found];
}

/** The entry `default` covers only these. */
const BEFORE_THE_ROUTE = new Set([408, 414, 417, 431]);
