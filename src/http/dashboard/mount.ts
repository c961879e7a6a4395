import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import { clientGroup } from "../auth.ts";
import { accepts } from "../headers.ts";
import { pathPrefix } from "../path-prefix.ts";
import type { AddressLimit } from "../rate-limit.ts";
import { takePage } from "../rate-limit.ts";
import { ENCODINGS, type Encoding } from "./compress.ts";
import { createCopies, type FindCopy } from "./copies.ts";
import type { DashboardFile, DashboardFiles } from "./files.ts";

export interface DashboardDeps {
  dashboard: DashboardFiles;
  publicApiUrl: () => string;
  eventsUrl: () => string;
  perReader: AddressLimit;
  /** The origins that may embed the page of a public link; undefined if there is no such link. */
  findFrameAncestors: (token: string) => Promise<readonly string[] | undefined>;
}

/** Every path that the page itself routes. They all get index.html. */
const CLIENT_PATHS = ["/", "/setup", "/sign-in", "/invite", "/reset", "/app", "/app/*"] as const;

/** The page of a public link. */
const SHARED_PATH = "/s/:token";

/** For the Allow header of a 405. */
export const DASHBOARD_ROUTES = [...CLIENT_PATHS, SHARED_PATH, "/assets/*"].map(
  (path) => ({ method: "GET", path }) as const,
);

/** Marks in index.html that are filled in for each response. */
const BASE = /<base href="[^"]*"\s*\/?>/;
const NONCE = "__CSP_NONCE__";

const COMMON = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/**
 * Serves the built dashboard. The files are sent from disk; their list, index.html and the compressed copies that no
 * file has are in memory. They are no part of the documented interface, so they are not in the route tables.
 */
export function mountDashboard(app: FastifyInstance, deps: DashboardDeps): void {
  const { index, files } = deps.dashboard;
  const findCopy = createCopies();
  if (!BASE.test(index)) throw new Error('the dashboard\'s index.html has no <base href="...">');
  const onRequest = (request: FastifyRequest) => takePage(deps.perReader, clientGroup(request.ip));
  for (const url of CLIENT_PATHS)
    app.route({ method: "GET", url, onRequest, handler: async (_request, reply) => sendIndex(reply, deps) });
  app.route({
    method: "GET",
    url: SHARED_PATH,
    onRequest,
    handler: async (request, reply) => {
      const { token } = request.params as { token: string };
      const origins = await deps.findFrameAncestors(token);
      const isEmbedded = (request.query as { embed?: unknown }).embed === "1";
      return sendShared(reply.code(origins === undefined ? 404 : 200), deps, isEmbedded ? (origins ?? []) : []);
    },
  });
  app.route({
    method: "GET",
    url: "/assets/*",
    onRequest,
    handler: async (request, reply) => {
      const file = files.get(`assets/${(request.params as { "*": string })["*"]}`);
      if (file === undefined) throw new ApiError("NOT_FOUND", "There is no such file");
      return sendFile(request, reply, file, { findCopy, cacheControl: "public, max-age=31536000, immutable" });
    },
  });
  // Icons and the like, whose names have no hash.
  for (const [name, file] of files) {
    if (name.includes("/")) continue;
    const handler = async (request: FastifyRequest, reply: FastifyReply) =>
      sendFile(request, reply, file, { findCopy, cacheControl: "public, max-age=3600" });
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
  const { text, nonce } = fillIndex(deps);
  return reply
    .headers({
      ...COMMON,
      "Content-Security-Policy": contentPolicy(nonce, { eventsUrl: deps.eventsUrl(), ancestors: [] }),
      "Cross-Origin-Opener-Policy": "same-origin",
      "X-Frame-Options": "DENY",
      "Cache-Control": "no-cache",
    })
    .type("text/html; charset=utf-8")
    .send(text);
}

function fillIndex(deps: DashboardDeps): { text: string; nonce: string } {
  const nonce = randomBytes(16).toString("base64url");
  const text = deps.dashboard.index
    .replace(BASE, () => `<base href="${pathPrefix(deps.publicApiUrl())}/">`)
    .replaceAll(NONCE, nonce);
  return { text, nonce };
}

/** The page of a public link: its address is a secret, which no referrer tells and no search engine keeps. */
function sendShared(reply: FastifyReply, deps: DashboardDeps, ancestors: readonly string[]): FastifyReply {
  const { text, nonce } = fillIndex(deps);
  return reply
    .headers({
      ...COMMON,
      "Referrer-Policy": "no-referrer",
      "X-Robots-Tag": "noindex, nofollow",
      "Content-Security-Policy": contentPolicy(nonce, { ancestors }),
      "Cross-Origin-Opener-Policy": "same-origin",
      // Knows one origin or none: the policy above replaces it where some may embed the page.
      ...(ancestors.length === 0 ? { "X-Frame-Options": "DENY" } : {}),
      "Cache-Control": "no-store",
    })
    .type("text/html; charset=utf-8")
    .send(text);
}

/**
 * The events server is another origin, and the page sends it a test event. Only styles have a nonce, for parts of the
 * page that insert a `<style>`.
 */
function contentPolicy(
  nonce: string,
  { eventsUrl, ancestors }: { eventsUrl?: string; ancestors: readonly string[] },
): string {
  const events = eventsUrl !== undefined && URL.canParse(eventsUrl) ? ` ${new URL(eventsUrl).origin}` : "";
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
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(" ")}`,
  ].join("; ");
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: DashboardFile,
  { findCopy, cacheControl }: { findCopy: FindCopy; cacheControl: string },
): Promise<FastifyReply> {
  const accepted = request.headers["accept-encoding"];
  const encoding = file.isCompressible ? ENCODINGS.find((name) => accepts(accepted, name)) : undefined;
  const body = encoding === undefined ? await readFile(file.plain) : await readCopy(file, encoding, findCopy);
  if (encoding !== undefined) reply.header("Content-Encoding", encoding);
  return reply
    .headers({ ...COMMON, "Cache-Control": cacheControl, Vary: "Accept-Encoding" })
    .type(file.contentType)
    .send(body);
}

async function readCopy({ plain, copies }: DashboardFile, encoding: Encoding, findCopy: FindCopy): Promise<Buffer> {
  const path = copies[encoding];
  return path === undefined ? findCopy(plain, encoding) : readFile(path);
}
