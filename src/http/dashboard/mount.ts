import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import { clientGroup } from "../auth.ts";
import { accepts } from "../headers.ts";
import { pathPrefix } from "../path-prefix.ts";
import { takePage } from "../rate-limit.ts";
import type { AddressLimit } from "../route.ts";
import type { DashboardFile, DashboardFiles } from "./files.ts";

export interface DashboardDeps {
  dashboard: DashboardFiles;
  publicApiUrl: () => string;
  eventsUrl: () => string;
  perReader: AddressLimit;
}

/** Every path that the page itself routes. They all get index.html. */
const CLIENT_PATHS = ["/", "/setup", "/sign-in", "/invite", "/reset", "/app", "/app/*"] as const;

/** For the Allow header of a 405. */
export const DASHBOARD_ROUTES = [...CLIENT_PATHS, "/assets/*"].map((path) => ({ method: "GET", path }) as const);

/** Marks in index.html that are filled in for each response. */
const BASE = /<base href="[^"]*"\s*\/?>/;
const NONCE = "__CSP_NONCE__";

const COMMON = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/**
 * Serves the built dashboard. The files are sent from disk: only their list and index.html are in memory. They are no
 * part of the documented interface, so they are not in the route tables.
 */
export function mountDashboard(app: FastifyInstance, deps: DashboardDeps): void {
  const { index, files } = deps.dashboard;
  if (!BASE.test(index)) throw new Error('the dashboard\'s index.html has no <base href="...">');
  const onRequest = (request: FastifyRequest) => takePage(deps.perReader, clientGroup(request.ip));
  for (const url of CLIENT_PATHS)
    app.route({ method: "GET", url, onRequest, handler: async (_request, reply) => sendIndex(reply, deps) });
  app.route({
    method: "GET",
    url: "/assets/*",
    onRequest,
    handler: async (request, reply) => {
      const file = files.get(`assets/${(request.params as { "*": string })["*"]}`);
      if (file === undefined) throw new ApiError("NOT_FOUND", "There is no such file");
      return sendFile(request, reply, file, "public, max-age=31536000, immutable");
    },
  });
  // Icons and the like, whose names have no hash.
  for (const [name, file] of files) {
    if (name.includes("/")) continue;
    const handler = async (request: FastifyRequest, reply: FastifyReply) =>
      sendFile(request, reply, file, "public, max-age=3600");
    app.route({ method: "GET", url: `/${name}`, onRequest, handler });
  }
}

/** Paths of programs. The rest of what does not exist is a page that somebody mistyped. */
const PROGRAM_PATHS = /^\/(?:api|v0|f|assets|clickhouse)(?:\/|$)/;

/** A browser that opens a page, and not a script or a program. */
export function wantsMissingPage({ method, url, headers }: FastifyRequest): boolean {
  return (
    method === "GET" && (headers.accept ?? "").includes("text/html") && !PROGRAM_PATHS.test(url.split("?", 1)[0] ?? "")
  );
}

/** The dashboard says itself that there is no such page. */
export async function sendMissingPage(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: DashboardDeps,
): Promise<FastifyReply> {
  await takePage(deps.perReader, clientGroup(request.ip));
  return sendIndex(reply.code(404), deps);
}

/**
 * No ETag: a 304 would come with a new policy, and the kept page has the old nonce. The page is a kilobyte.
 */
function sendIndex(reply: FastifyReply, deps: DashboardDeps): FastifyReply {
  const nonce = randomBytes(16).toString("base64url");
  const text = deps.dashboard.index
    .replace(BASE, () => `<base href="${pathPrefix(deps.publicApiUrl())}/">`)
    .replaceAll(NONCE, nonce);
  return reply
    .headers({
      ...COMMON,
      "Content-Security-Policy": contentPolicy(nonce, deps.eventsUrl()),
      "Cross-Origin-Opener-Policy": "same-origin",
      "X-Frame-Options": "DENY",
      "Cache-Control": "no-cache",
    })
    .type("text/html; charset=utf-8")
    .send(text);
}

/**
 * The events server is another origin, and the page sends it a test event. Only styles have a nonce, for parts of the
 * page that insert a `<style>`.
 */
function contentPolicy(nonce: string, eventsUrl: string): string {
  const events = URL.canParse(eventsUrl) ? ` ${new URL(eventsUrl).origin}` : "";
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self'${events}`,
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: DashboardFile,
  cacheControl: string,
): Promise<FastifyReply> {
  const accepted = request.headers["accept-encoding"];
  const [encoding, path] =
    file.br && accepts(accepted, "br")
      ? (["br", file.br] as const)
      : file.gzip && accepts(accepted, "gzip")
        ? (["gzip", file.gzip] as const)
        : ([undefined, file.plain] as const);
  if (encoding !== undefined) reply.header("Content-Encoding", encoding);
  return reply
    .headers({ ...COMMON, "Cache-Control": cacheControl, Vary: "Accept-Encoding" })
    .type(file.contentType)
    .send(await readFile(path));
}
