import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import cors from "@fastify/cors";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { type ErrorStyle, errorBody } from "../contract/error-body.ts";
import { ApiError } from "../contract/errors.ts";
import { LIMITS } from "../contract/limits.ts";
import { newId } from "../lib/ids.ts";
import { type AccountMountDeps, mountAccountRoute } from "./account/mount.ts";
import { addBodyParsers } from "./body.ts";
import { toEndpoint } from "./clickhouse/at-root.ts";
import { CLICKHOUSE_ROUTES, type ClickHouseDeps, mountClickHouse } from "./clickhouse/mount.ts";
import {
  DASHBOARD_ROUTES,
  type DashboardDeps,
  mountDashboard,
  sendMissingPage,
  wantsMissingPage,
} from "./dashboard/mount.ts";
import { createErrorEdge, type ErrorEdge } from "./errors.ts";
import type { EventsDeps } from "./events/deps.ts";
import { createFastPath } from "./events/fast-path.ts";
import { mountEvents } from "./events/handler.ts";
import { mountScript, SCRIPT_ROUTES } from "./events/script.ts";
import { addEventsBodyParsers } from "./events/sent-body.ts";
import { refuseLongHead } from "./head-size.ts";
import { ANY_ORIGIN, baseHeaders, EXPOSED_HEADERS, JSON_TYPE, NO_SNIFF, NO_STORE } from "./headers.ts";
import type { HostedDeps } from "./hosted/deps.ts";
import { mountHosted } from "./hosted/mount.ts";
import { createMethodFinder } from "./methods.ts";
import type { HttpMetrics } from "./metrics.ts";
import { mountRoute, type RouteDeps } from "./mount.ts";
import { pathPrefix, withoutPrefix } from "./path-prefix.ts";
import { parseQuery } from "./query-string.ts";
import { isAccountRoute, isEventsRoute, isHosted, isSharedRoute, type Route } from "./route.ts";
import { mountShared } from "./shared/mount.ts";
import { createValidator } from "./validate.ts";

/** Time limits for the headers and for the whole request; a slower client gets 408. */
const HEADERS_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the idle timeout of common load balancers (60 s), so that they close the connection first. */
const KEEP_ALIVE_MS = 72_000;

export interface ServerOptions {
  name: "api" | "events" | "ops";
  routes: readonly Route[];
  style: (path: string) => ErrorStyle;
  publicApiUrl: () => string;
  bodyBytes: number;
  urlChars: number;
  trustedProxies: readonly string[];
  /** "*" for any origin; an empty list for none. */
  corsOrigins: "*" | readonly string[];
  isUnavailable: (cause: unknown) => boolean;
  isStopping: () => boolean;
  log: FastifyBaseLogger;
  metrics: HttpMetrics;
  routeDeps: RouteDeps;
  hostedDeps: HostedDeps;
  accountDeps: AccountMountDeps;
  /** Only for a server with events routes. */
  eventsDeps?: EventsDeps;
  /** Only for the server that BI tools use. */
  clickhouseDeps?: ClickHouseDeps;
  /** Only for the server that serves the dashboard. */
  dashboardDeps?: DashboardDeps;
}

/** One server, independent of the process and its port, so that tests can use it. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const newRequestId = () => newId("req");
  const headers = { ...NO_SNIFF, ...NO_STORE, ...(options.corsOrigins === "*" ? ANY_ORIGIN : {}) };
  const edge = createErrorEdge({ ...options, newRequestId, headers });
  const fast = options.eventsDeps && buildFastPath(options, options.eventsDeps, edge, newRequestId);
  const app = Fastify({
    serverFactory: (handler) =>
      createServer(connectionLimits(options.urlChars), (request, response) => {
        if (!fast?.(request, response)) handler(request, response);
      }),
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    bodyLimit: options.bodyBytes,
    // drain.ts closes the server.
    forceCloseConnections: false,
    // While closing, Fastify would answer requests on open connections without the envelope; here they are served.
    return503OnClosing: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: (request) => sentRequestId(request) ?? newRequestId(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512, querystringParser: parseQuery },
    ...(options.name === "api"
      ? {
          rewriteUrl: (request: IncomingMessage) =>
            toEndpoint(request, withoutPrefix(request.url ?? "/", pathPrefix(options.publicApiUrl()))),
        }
      : {}),
    clientErrorHandler: (cause, socket) => edge.sendRaw(cause, socket),
    frameworkErrors: (cause, request, reply) => void edge.send(request, reply, cause),
  });
  app.setErrorHandler((cause, request, reply) => edge.send(request, reply, cause));
  app.addHook("onRequest", async (request, reply) => {
    // What the events server says of a batch is nobody's secret, and browsers keep no answer to a POST.
    const url = options.eventsDeps === undefined ? request.url : "";
    reply.headers(baseHeaders(request.id, options.isStopping(), url));
    refuseLongHead(request.raw, options.urlChars);
  });
  if (options.corsOrigins.length > 0) await addCors(app, options.corsOrigins);
  if (options.eventsDeps === undefined) addBodyParsers(app);
  else addEventsBodyParsers(app, options.eventsDeps.budget);
  addObservation(app, options.name, options.metrics);
  answerUnknownPaths(app, options, edge);
  mountRoutes(app, options, edge);
  answerExpectations(app, options);
  return app;
}

function connectionLimits(urlChars: number) {
  return {
    // Node's limit includes the URL; refuseLongHead distinguishes the two.
    maxHeaderSize: urlChars + LIMITS.headerBytes,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1_000,
    // Node itself would answer a missing Host header with an empty body.
    requireHostHeader: false,
  };
}

function answerUnknownPaths(app: FastifyInstance, options: ServerOptions, edge: ErrorEdge): void {
  const findMethods = createMethodFinder([
    ...options.routes,
    ...(options.dashboardDeps ? DASHBOARD_ROUTES : []),
    ...(options.clickhouseDeps ? CLICKHOUSE_ROUTES : []),
    ...(options.eventsDeps ? SCRIPT_ROUTES : []),
  ]);
  // Runs before the body is parsed: an unknown path or method needs no parser, and must not fail without one.
  const { dashboardDeps } = options;
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404) return;
    const methods = findMethods(pathOf(request.url));
    if (methods.length > 0 || dashboardDeps === undefined || !wantsMissingPage(request))
      throw notFound(methods, request);
    return sendMissingPage(request, reply, dashboardDeps);
  });
  // CONNECT is not supported; without a listener Node would close the connection without a response.
  app.server.on("connect", (_request, socket) => edge.sendRaw(new Error("CONNECT"), socket as Socket));
  app.setNotFoundHandler((request) => {
    throw notFound(findMethods(pathOf(request.url)), request);
  });
}

function mountRoutes(app: FastifyInstance, options: ServerOptions, edge: ErrorEdge): void {
  const validatorOf = createValidator();
  for (const route of options.routes) {
    if (isHosted(route)) mountHosted(app, route, options.hostedDeps, edge);
    else if (isAccountRoute(route)) mountAccountRoute(app, route, validatorOf(route), options.accountDeps);
    else if (isSharedRoute(route)) mountShared(app, route, validatorOf(route), options.routeDeps);
    else if (!isEventsRoute(route)) mountRoute(app, route, validatorOf(route), options.routeDeps);
    else if (options.eventsDeps !== undefined) mountEvents(app, route, options.eventsDeps);
  }
  if (options.clickhouseDeps) mountClickHouse(app, options.clickhouseDeps, edge);
  if (options.eventsDeps) mountScript(app);
  if (options.dashboardDeps) mountDashboard(app, options.dashboardDeps);
}

function buildFastPath(options: ServerOptions, events: EventsDeps, edge: ErrorEdge, newRequestId: () => string) {
  return createFastPath(options.routes.filter(isEventsRoute), {
    ...events,
    newRequestId,
    isStopping: options.isStopping,
    fail: edge.sendPlain,
    observer: (route, status) => options.metrics.observer({ server: options.name, method: "POST", route, status }),
  });
}

/** Keeps the client's own request id if it is harmless, so that the client can find its request in our log. */
function sentRequestId(request: { headers: IncomingMessage["headers"] }): string | undefined {
  const sent = request.headers["x-request-id"];
  return typeof sent === "string" && /^[A-Za-z0-9_.:-]{1,128}$/.test(sent) ? sent : undefined;
}

async function addCors(app: FastifyInstance, origins: "*" | readonly string[]): Promise<void> {
  await app.register(cors, {
    origin: origins === "*" ? "*" : [...origins],
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    allowedHeaders: ["authorization", "content-type", "idempotency-key", "last-event-id", "x-api-key", "x-request-id"],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 86_400,
    strictPreflight: false,
  });
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

function notFound(methods: readonly string[], request: FastifyRequest): ApiError {
  if (methods.length === 0) return new ApiError("NOT_FOUND", "There is no such path");
  const allow = methods.join(", ");
  return new ApiError("BAD_REQUEST", `${request.method} is not allowed here; allowed: ${allow}`, {
    status: 405,
    headers: { Allow: allow },
  });
}

/**
 * One log line and one measurement per response. They have the route's pattern, because a URL may contain private data.
 */
function addObservation(app: FastifyInstance, server: string, metrics: HttpMetrics): void {
  app.addHook("onResponse", async (request: FastifyRequest, reply: FastifyReply) => {
    const route = request.is404 ? "unmatched" : (request.routeOptions.url ?? "unmatched");
    const fields = { server, method: request.method, route, status: reply.statusCode };
    // A stream is open for minutes: its time says nothing, and would hide that of requests.
    const isStream = reply.getHeader("content-type") === "text/event-stream";
    metrics.observe(fields, isStream ? undefined : reply.elapsedTime / 1000);
    // Probes every few seconds and thousands of events a second would hide the useful lines.
    const level = server === "api" ? "info" : "debug";
    request.log[level]({ ...fields, ms: Math.round(reply.elapsedTime * 10) / 10 }, "answered");
  });
}

/** Node itself answers an unknown Expect header with an empty 417; ours has the envelope. */
function answerExpectations(app: FastifyInstance, options: ServerOptions): void {
  app.server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const failure = new ApiError("BAD_REQUEST", "The Expect header cannot be met", { status: 417 });
    const body = JSON.stringify(errorBody(options.style(request.url ?? "/"), options.publicApiUrl(), failure));
    response.writeHead(failure.status, STATUS_CODES[failure.status], {
      "Content-Type": JSON_TYPE,
      "Content-Length": Buffer.byteLength(body),
      "X-Request-Id": newId("req"),
      Connection: "close",
    });
    response.end(body);
  });
}
