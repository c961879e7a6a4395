import type { Readable } from "node:stream";
import type { Static, TSchema } from "typebox";
import type { Challenges } from "../accounts/challenges.ts";
import type { AskContract } from "../accounts/siwe.ts";
import type { MemberRole } from "../contract/member-roles.ts";
import type { Scope } from "../contract/scopes.ts";
import type { SystemState } from "../contract/system.ts";
import type { ApiKey } from "../control/keys.ts";
import type { TakeTurn } from "../control/long-list.ts";
import type { RateLimiter, RatePolicy, RateVerdict } from "../control/rate-limit.ts";
import type { ControlStore, Reader, Tx } from "../control/store.ts";
import type { DemoRuns } from "../demo/runs.ts";
import type { PageTokens } from "../forms/page-token.ts";
import type { EventRules } from "../ingest/check-event.ts";
import type { Clock } from "../lib/clock.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import type { RunReport } from "../query/run.ts";
import type { RunLookup } from "../query/run-lookup.ts";
import type { RunSql } from "../query/run-sql.ts";
import type { WebhookContext } from "../webhooks/subscribe.ts";
import type { AccountDeps, AccountRequest } from "./account/deps.ts";
import type { ActingMember } from "./account/principal.ts";
import type { UnknownKeys } from "./events/unknown-keys.ts";
import type { KeptPages } from "./hosted/kept-pages.ts";
import type { LiveAccess } from "./live-stream.ts";

/**
 * A route is a schema, a scope and one call. The route tables define what is served, validated and documented, and what
 * the isolation tests cover; see routes/index.ts.
 */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * A scope; `any` for an endpoint for every valid key; `open` for one without a credential; `visitor` for one without a
 * credential that counts requests per client address; `member` for a signed-in member of the workspace; `user` for a
 * signed-in user, in whatever workspace.
 */
export type Access = Scope | "any" | "open" | "write-key" | "visitor" | "member" | "user";
type KeyAccess = Exclude<Access, "write-key" | "visitor" | "user">;

export interface Answer {
  status: number;
  body?: unknown;
  /** Only with `text` or `stream`; a body is always JSON. */
  contentType?: string;
  text?: string;
  /**
   * Destroyed when the client leaves. `takeWhole` returns a text that is already complete, so that it is sent in one
   * piece.
   */
  stream?: Readable & { takeWhole?(): Buffer | undefined };
  headers?: Record<string, string | string[]>;
  /** What the audit log says about a write; by default the id in the path, or that of the body. */
  audit?: { target?: string; details?: Record<string, unknown> };
}

export interface RouteDoc {
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
}

/** The result of a route's own check, or its failures: paths such as `query.filters` -> the reason. */
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
   * Checks that a schema cannot express. Failures are added to those of the schemas, and the value goes to the handler.
   * Parts may have wrong types here.
   */
  check?(parts: { params: unknown; query: unknown; body: unknown }, nowMs: number): Checked<C>;
  /** True when the key may also be sent in the body as `apiKey`. */
  keyInBody?: boolean;
  /** The least role of a signed-in user; by default `viewer` for GET and `editor` for the rest. */
  role?: MemberRole;
  /** True for an open page that is limited per client address. */
  perReader?: boolean;
  /** Status -> schema of the body, or a content type for responses other than JSON. The document adds errors itself. */
  answers: Record<number, TSchema | string>;
  /** Content types of a 200 besides that of `answers`. */
  otherTypes?: readonly string[];
}

export type ReplayParked = (
  projects: readonly string[],
  filter: { reason?: string | undefined; id?: string | undefined },
) => Promise<{ stored: number; stillInvalid: number }>;

export interface RouteRequest<Q = unknown, P = unknown, B = unknown, C = unknown> {
  requestId: string;
  /** The workspace, and possibly the project, of the request. Absent only on open routes. */
  key: ApiKey;
  /** The signed-in user, if no key sent the request. Present on routes for members. */
  member: ActingMember | undefined;
  query: Q;
  params: P;
  body: B;
  /** The result of the route's check. */
  checked: C;
  db: Reader;
  nowMs: number;
  /** The public URL of the API server, for links in responses. */
  publicApiUrl: string;
  /** The installation's secret, behind the hashes of new keys. */
  secret: Buffer;
  webhooks: WebhookContext;
  runReport: RunReport;
  runLookup: RunLookup;
  /** For streams of events. */
  live: LiveAccess;
  /** Seconds from accepting an event to storing it; undefined on a node that accepts none. */
  findLogLag: () => number | undefined;
  runSql: RunSql;
  describeSystem: () => Promise<SystemState>;
  demos: DemoRuns;
  /** Of this node. */
  unknownKeys: UnknownKeys;
  /** Tries parked events of these projects again. */
  replayParked: ReplayParked;
  /** For the steps of reading a long list. */
  takeTurn: TakeTurn;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

export interface ReadRoute<
  Q extends TSchema = TSchema,
  P extends TSchema = TSchema,
  B extends TSchema = TSchema,
  C = unknown,
> extends RouteBase<Q, P, B, C> {
  access: KeyAccess;
  /** POST for a question that is too long for a URL. */
  method: "GET" | "POST";
  kind: "read";
  handle(request: RouteRequest<Static<Q>, Static<P>, Static<B>, C>): Promise<Answer>;
}

/** A write runs in one transaction together with its idempotency record. A handler cannot write outside of it. */
export interface WriteRoute<
  Q extends TSchema = TSchema,
  P extends TSchema = TSchema,
  B extends TSchema = TSchema,
  C = unknown,
> extends RouteBase<Q, P, B, C> {
  access: KeyAccess;
  method: Exclude<Method, "GET">;
  kind: "write";
  /** True when it may have written webhook deliveries: the worker is woken right after the commit. */
  wakesDelivery?: boolean;
  /** True when the response contains a secret: the copy for replays is then encrypted. */
  answersSecret?: boolean;
  /** Work that waits for something other than the store. It runs before the transaction and may refuse the request. */
  prepare?(request: RouteRequest<Static<Q>, Static<P>, Static<B>, C>): Promise<void>;
  handle(request: RouteRequest<Static<Q>, Static<P>, Static<B>, C>, tx: Tx): Promise<Answer>;
}

/**
 * Accepts events: the effect is in the log, not in the control store, and the credential is a write key. Mounted by
 * events/handler.ts.
 */
export interface EventsRoute extends RouteBase<TSchema, TSchema, TSchema, unknown> {
  method: "POST";
  access: "write-key";
  rules: EventRules;
}

/** A request to a hosted page, from a browser or from a program. */
export interface HostedRequest {
  formId: string;
  query: Record<string, unknown>;
  /** Parsed JSON, or the values of an HTML form. */
  body: unknown;
  rawBody: Buffer;
  method: string;
  url: string;
  idempotencyKey: string | undefined;
  /** The origin of the page, one of our own. */
  origin: string;
  /** True when the caller expects a page and not JSON. */
  wantsPage: boolean;
  /** Where the client's address is over its limit of posts, and yet the answers are read to be given back. */
  overLimit: RateVerdict | undefined;
  log: WarnLog;
}

/** A limit of requests per client address. */
export interface AddressLimit {
  limiter: RateLimiter;
  policy: RatePolicy;
}

export interface HostedDeps {
  store: ControlStore;
  clock: Clock;
  tokens: PageTokens;
  pages: KeptPages;
  perAddress: AddressLimit;
  perForm: { limiter: RateLimiter; policy: RatePolicy };
  /** KiB of submissions to one form. */
  formBytes: { limiter: RateLimiter; policy: RatePolicy };
  /** False while the disk of the control store has only its reserve left. */
  hasDiskRoom: () => Promise<boolean>;
  perReader: AddressLimit;
  /** Answers given back to people who are over the limit of their address. */
  givenBack: RateLimiter;
  wakeDelivery: () => void;
  publicApiUrl: () => string;
  /** For wallets that prove themselves. */
  challenges: Challenges;
  askContract: AskContract | undefined;
  /** Questions to contract wallets by the visitors of one form. */
  contractAsks: { limiter: RateLimiter; policy: RatePolicy };
}

/** Open to people without a credential; responds with a page. Mounted by hosted/mount.ts. */
export interface HostedRoute extends RouteBase<TSchema, TSchema, TSchema, unknown> {
  method: "GET" | "POST";
  access: "open" | "visitor";
  serve(request: HostedRequest, deps: HostedDeps): Promise<Answer>;
}

/** Sign-in, and what users do to their own account. Mounted by account/mount.ts. */
export interface AccountRoute<Q extends TSchema = TSchema, P extends TSchema = TSchema, B extends TSchema = TSchema>
  extends RouteBase<Q, P, B, unknown> {
  method: Method;
  access: "open" | "user";
  /** True where another site leads to: the return from a provider. */
  fromElsewhere?: boolean;
  act(request: AccountRequest<Static<Q>, Static<P>, Static<B>>, deps: AccountDeps): Promise<Answer>;
}

export type Route = ReadRoute | WriteRoute | EventsRoute | HostedRoute | AccountRoute;

export function isHosted(route: Route): route is HostedRoute {
  return "serve" in route;
}

export function isAccountRoute(route: Route): route is AccountRoute {
  return "act" in route;
}

export function isEventsRoute(route: Route): route is EventsRoute {
  return route.access === "write-key";
}

/** Keeps the types of the schemas for the handler, and erases them for the table. */
export function readRoute<Q extends TSchema, P extends TSchema, B extends TSchema, C>(
  route: Omit<ReadRoute<Q, P, B, C>, "kind">,
): Route {
  return { ...route, kind: "read" } as unknown as Route;
}

export function writeRoute<Q extends TSchema, P extends TSchema, B extends TSchema, C>(
  route: Omit<WriteRoute<Q, P, B, C>, "kind">,
): Route {
  return { ...route, kind: "write" } as unknown as Route;
}

export function accountRoute<Q extends TSchema, P extends TSchema, B extends TSchema>(
  route: AccountRoute<Q, P, B>,
): Route {
  return route as unknown as Route;
}
