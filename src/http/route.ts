import type { Readable } from "node:stream";
import type { Static, TSchema } from "typebox";
import type { Scope } from "../contract/scopes.ts";
import type { ApiKey } from "../control/keys.ts";
import type { RateLimiter, RatePolicy } from "../control/rate-limit.ts";
import type { ControlStore, Reader, Tx } from "../control/store.ts";
import type { PageTokens } from "../forms/page-token.ts";
import type { EventRules } from "../ingest/check-event.ts";
import type { Clock } from "../lib/clock.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import type { RunReport } from "../query/run.ts";
import type { WebhookContext } from "../webhooks/subscribe.ts";

/**
 * A route is schema, scope, one call. The tables of routes are the single source of what is served, what is validated, what
 * OpenAPI says and what the isolation tests cover; see routes/index.ts.
 */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * A scope; `any` for an endpoint that every valid key may call; `open` for one that needs no credential; `visitor` for one that
 * needs none either and counts requests per client address.
 */
export type Access = Scope | "any" | "open" | "write-key" | "visitor";

export interface Answer {
  status: number;
  body?: unknown;
  /** Only with `text` or `stream`; a body is always JSON. */
  contentType?: string;
  text?: string;
  /** What is whole already goes out in one piece. */
  stream?: Readable & { takeWhole?(): Buffer | undefined };
  headers?: Record<string, string>;
}

export interface RouteDoc {
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
}

/** What a route's own check made of a request, or what is wrong with it: paths such as `query.filters` -> why. */
export type Checked<C> =
  | { readonly ok: true; readonly value: C }
  | { readonly ok: false; readonly failures: ReadonlyMap<string, string> };

interface RouteBase<Q extends TSchema, P extends TSchema, B extends TSchema, C> extends RouteDoc {
  path: string;
  access: Access;
  query?: Q;
  params?: P;
  body?: B;
  /**
   * What a schema cannot say about the request: failures are added to those of the schemas, and the value goes to the
   * handler. Parts may be of the wrong types here.
   */
  check?(parts: { params: unknown; query: unknown; body: unknown }, nowMs: number): Checked<C>;
  /** True when the key may also come in the body as `apiKey`. */
  keyInBody?: boolean;
  /** Status -> schema of the body, or a content type for what is not JSON. Errors are added by the document itself. */
  answers: Record<number, TSchema | string>;
}

export interface RouteRequest<Q = unknown, P = unknown, B = unknown, C = unknown> {
  requestId: string;
  /** The workspace (and perhaps project) the request acts for. Absent only on open routes. */
  key: ApiKey;
  query: Q;
  params: P;
  body: B;
  /** What the route's check made of them. */
  checked: C;
  db: Reader;
  nowMs: number;
  /** How clients reach the API server, for links in answers. */
  publicApiUrl: string;
  webhooks: WebhookContext;
  runReport: RunReport;
  /** Aborts when the client goes away. */
  signal: AbortSignal;
}

export interface ReadRoute<
  Q extends TSchema = TSchema,
  P extends TSchema = TSchema,
  B extends TSchema = TSchema,
  C = unknown,
> extends RouteBase<Q, P, B, C> {
  access: Exclude<Access, "write-key" | "visitor">;
  method: "GET";
  handle(request: RouteRequest<Static<Q>, Static<P>, Static<B>, C>): Promise<Answer>;
}

/** A write runs in one transaction, in which its idempotency record commits too: there is no way to write around it. */
export interface WriteRoute<
  Q extends TSchema = TSchema,
  P extends TSchema = TSchema,
  B extends TSchema = TSchema,
  C = unknown,
> extends RouteBase<Q, P, B, C> {
  access: Exclude<Access, "write-key" | "visitor">;
  method: Exclude<Method, "GET">;
  /** True when it may have written webhook deliveries: the worker then looks for them right after the commit. */
  wakesDelivery?: boolean;
  /** True when the answer holds a secret: a copy kept for replays is then encrypted. */
  answersSecret?: boolean;
  /** What has to wait for something other than the store: it runs before the transaction, and may refuse the request. */
  prepare?(request: RouteRequest<Static<Q>, Static<P>, Static<B>, C>): Promise<void>;
  handle(request: RouteRequest<Static<Q>, Static<P>, Static<B>, C>, tx: Tx): Promise<Answer>;
}

/** Takes events: its effect is the log, not the control store, and its credential a write key. Mounted by events/handler.ts. */
export interface EventsRoute extends RouteBase<TSchema, TSchema, TSchema, unknown> {
  method: "POST";
  access: "write-key";
  rules: EventRules;
}

/** A request to a hosted page, from a person's browser or from a program. */
export interface HostedRequest {
  formId: string;
  query: Record<string, unknown>;
  /** Parsed JSON, or what an HTML form sent. */
  body: unknown;
  rawBody: Buffer;
  method: string;
  url: string;
  idempotencyKey: string | undefined;
  /** True when the caller reads a page rather than JSON. */
  wantsPage: boolean;
  /** Tells clients apart, for limits in memory; it is stored and logged nowhere. */
  client: string;
  log: WarnLog;
}

export interface HostedDeps {
  store: ControlStore;
  clock: Clock;
  tokens: PageTokens;
  perAddress: { limiter: RateLimiter; policy: RatePolicy };
  perForm: { limiter: RateLimiter; policy: RatePolicy };
  wakeDelivery: () => void;
}

/** Open to people without a credential, and answers them with a page. Mounted by hosted/mount.ts. */
export interface HostedRoute extends RouteBase<TSchema, TSchema, TSchema, unknown> {
  method: "GET" | "POST";
  access: "open" | "visitor";
  serve(request: HostedRequest, deps: HostedDeps): Promise<Answer>;
}

export type Route = ReadRoute | WriteRoute | EventsRoute | HostedRoute;

export function isHosted(route: Route): route is HostedRoute {
  return "serve" in route;
}

export function isEventsRoute(route: Route): route is EventsRoute {
  return route.access === "write-key";
}

/** Keep the types of the schemas for the handler, and forget them for the table. */
export function readRoute<Q extends TSchema, P extends TSchema, B extends TSchema, C>(
  route: ReadRoute<Q, P, B, C>,
): Route {
  return route as unknown as Route;
}

export function writeRoute<Q extends TSchema, P extends TSchema, B extends TSchema, C>(
  route: WriteRoute<Q, P, B, C>,
): Route {
  return route as unknown as Route;
}
