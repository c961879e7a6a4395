/**
 * The fast path for nearly all traffic of the events server: a known write key, plain JSON and no options. It bypasses
 * the framework, which takes 22 to 33 us of about 120 us a request. Every other request goes to handler.ts. Both use
 * the same paths, headers, limits, credential and errors (docs/decisions/0014).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { RateVerdict } from "../../control/rate-limit.ts";
import type { Sender } from "../../control/write-key-ring.ts";
import { acceptNow, type EventsAccepted, ONE_ACCEPTED, READ_HERE_BYTES } from "../../ingest/accept.ts";
import type { EventRules } from "../../ingest/check-event.ts";
import { headerBytes } from "../head-size.ts";
import { ANY_ORIGIN, EXPOSED_HEADERS, JSON_TYPE, NO_SNIFF } from "../headers.ts";
import { rateExceeded } from "../rate-limit.ts";
import { eventsCost } from "../request-cost.ts";
import type { EventsRoute } from "../route.ts";
import { readCounted } from "./body.ts";
import { type EventsDeps, findSender } from "./deps.ts";
import { plainUrls } from "./query.ts";

/** The same on every answer. Names and values in turn, as Node writes them without a copy. */
const FIXED_HEADERS = Object.entries({
  ...NO_SNIFF,
  ...ANY_ORIGIN,
  "Access-Control-Expose-Headers": EXPOSED_HEADERS,
}).flat();

export interface FastDeps extends EventsDeps {
  newRequestId: () => string;
  isStopping: () => boolean;
  /** Returns the function that counts and times the responses of a route with a status. */
  observer(route: string, status: number): (seconds: number) => void;
  /** Sends the public response for anything thrown, and returns its status. */
  fail(request: IncomingMessage, response: ServerResponse, requestId: string, cause: unknown): number;
}

interface FastRoute {
  rules: EventRules;
  observe(status: number, seconds: number): void;
}

/** The returned function answers the request and returns true, or returns false and leaves it to the handler. */
export function createFastPath(
  routes: readonly EventsRoute[],
  deps: FastDeps,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const byUrl = new Map<string, FastRoute>();
  for (const route of routes) {
    const fast = { rules: route.rules, observe: createObserve(route.path, deps.observer) };
    for (const url of plainUrls(route)) byUrl.set(url, fast);
  }
  return (request, response) => {
    const route = request.method === "POST" ? byUrl.get(request.url ?? "") : undefined;
    if (route === undefined || !isPlain(request)) return false;
    const sender = findSender(deps.keys, request.headers);
    const length = Number(request.headers["content-length"]);
    const cost = 1 + eventsCost(length, deps.bytesPerRequest, false);
    const verdict = sender && deps.limiter.takeNow?.(sender.workspaceId, deps.ratePolicy, cost);
    if (sender === undefined || verdict === undefined) return false;
    const call = { deps, route, verdict, request, response, startedAtMs: performance.now() };
    if (verdict.allowed) serve(call, sender, length);
    else fail(call, rateExceeded());
    return true;
  };
}

function isPlain({ headers, rawHeaders }: IncomingMessage): boolean {
  const type = headers["content-type"];
  const length = Number(headers["content-length"]);
  return (
    (type === "application/json" || type === JSON_TYPE) &&
    length > 0 &&
    length <= READ_HERE_BYTES &&
    headers["content-encoding"] === undefined &&
    headers["idempotency-key"] === undefined &&
    headers["x-request-id"] === undefined &&
    headers["transfer-encoding"] === undefined &&
    headerBytes(rawHeaders) <= LIMITS.headerBytes
  );
}

/** What is kept of a request until it is answered. */
interface Call {
  deps: FastDeps;
  route: FastRoute;
  verdict: RateVerdict;
  request: IncomingMessage;
  response: ServerResponse;
  startedAtMs: number;
}

function serve(call: Call, { workspaceId, projectId }: Sender, length: number): void {
  const { deps, route, request } = call;
  const lease = { workspaceId, bytes: 0 };
  readCounted(request, length, deps.budget, lease, (cause, pieces) => {
    if (pieces === undefined) {
      // A client that disconnects before its last byte gets no response, and nothing was accepted.
      if (cause instanceof ApiError) fail(call, cause);
      return;
    }
    const events = {
      workspaceId,
      projectId,
      rules: route.rules,
      body: pieces,
      lines: false,
      detail: false,
      country: deps.countryOf(request),
      idBase: undefined,
    };
    acceptNow(deps.accept, events, (failure, accepted) => {
      deps.budget.resize(lease, 0);
      if (accepted === undefined) fail(call, failure);
      else answer(call, accepted);
    });
  });
}

function answer(call: Call, accepted: EventsAccepted): void {
  const text = accepted === ONE_ACCEPTED ? ONE_TEXT : JSON.stringify(accepted);
  const headers = headersOf(call, call.deps.newRequestId());
  headers.push("Content-Type", JSON_TYPE, "Content-Length", String(text.length));
  call.response.writeHead(200, headers);
  // Letters, digits and punctuation: as Latin-1 it goes out with its headers in one copy.
  call.response.end(text, "latin1");
  observe(call, 200);
}

const ONE_TEXT = JSON.stringify(ONE_ACCEPTED);

function fail(call: Call, cause: unknown): void {
  const { deps, request, response } = call;
  const requestId = deps.newRequestId();
  const headers = headersOf(call, requestId);
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? "", headers[at + 1] ?? "");
  observe(call, deps.fail(request, response, requestId, cause));
}

function observe({ route, startedAtMs }: Call, status: number): void {
  route.observe(status, (performance.now() - startedAtMs) / 1000);
}

/** Those of rateHeaders and baseHeaders, which the handler uses. */
function headersOf({ deps, verdict }: Call, requestId: string): string[] {
  const headers = [
    "RateLimit-Limit",
    String(verdict.limit),
    "RateLimit-Remaining",
    String(verdict.remaining),
    "RateLimit-Reset",
    String(verdict.resetSeconds),
    "X-Request-Id",
    requestId,
    ...FIXED_HEADERS,
  ];
  if (!verdict.allowed) headers.push("Retry-After", String(verdict.resetSeconds));
  if (deps.isStopping()) headers.push("Connection", "close");
  return headers;
}

/** Caches the metrics of each status. */
function createObserve(route: string, observer: FastDeps["observer"]): FastRoute["observe"] {
  const byStatus = new Map<number, (seconds: number) => void>();
  return (status, seconds) => {
    let observe = byStatus.get(status);
    if (observe === undefined) {
      observe = observer(route, status);
      byStatus.set(status, observe);
    }
    observe(seconds);
  };
}
