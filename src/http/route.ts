import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Static, TSchema } from "typebox";
import type { MemberRole } from "../contract/member-roles.ts";
import type { Scope } from "../contract/scopes.ts";
import type { ApiKey } from "../control/keys.ts";
import type { Reader, Tx } from "../control/store.ts";
import type { EventRules } from "../ingest/check-event.ts";
import type { AccountRequest } from "./account/deps.ts";
import type { ActingMember } from "./account/principal.ts";
import type { HostedRequest } from "./hosted/deps.ts";
import type { SharedRequest } from "./shared/request.ts";

/**
 * A route is a schema, a scope and one call. The route tables define what is served, validated and documented, and what
 * the isolation tests cover; see src/routes/index.ts.
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
  /** True for a step of something that is in the audit log already. */
  isUnaudited?: true;
}

/** The answer of routes under /api, whose data is in an envelope. */
export function success(data: unknown, status: 200 | 201 | 202 = 200): Answer {
  return { status, body: { isSuccess: true, data } };
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
  /**
   * Status -> schema of the body, a content type for responses other than JSON, or null for no body. The document adds
   * errors itself.
   */
  answers: Record<number, TSchema | string | null>;
  /** Content types of a 200 besides that of `answers`. */
  otherTypes?: readonly string[];
}

/** The parts of a request as its route's schemas describe them, and its headers. */
export interface RequestParts<Q = unknown, P = unknown, B = unknown> {
  query: Q;
  params: P;
  body: B;
  headers: IncomingHttpHeaders;
}

/** What every request has. What only some routes need is an argument of their table. */
export interface RouteRequest<Q = unknown, P = unknown, B = unknown, C = unknown> {
  /** The workspace, and possibly the project, of the request. Absent only on open routes. */
  key: ApiKey;
  /** The signed-in user, if no key sent the request. Present on routes for members. */
  member: ActingMember | undefined;
  parts: RequestParts<Q, P, B>;
  /** The result of the route's check. */
  checked: C;
  db: Reader;
  nowMs: number;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Takes the engine's time off what the workspace may ask. */
  charge: (engineMs: number) => Promise<void>;
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
  /** True when request or response contain a secret: for replays the copy is then encrypted, and the fingerprint keyed. */
  answersSecret?: boolean;
  /** True when the body is the bytes of a file: a stream, which `prepare` reads. */
  takesFile?: true;
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

/** Open to people without a credential; responds with a page. Mounted by hosted/mount.ts. */
export interface HostedRoute extends RouteBase<TSchema, TSchema, TSchema, unknown> {
  method: "GET" | "POST";
  access: "open" | "visitor";
  serve(request: HostedRequest): Promise<Answer>;
}

/** Sign-in, and what users do to their own account. Mounted by account/mount.ts. */
export interface AccountRoute<Q extends TSchema = TSchema, P extends TSchema = TSchema, B extends TSchema = TSchema>
  extends RouteBase<Q, P, B, unknown> {
  method: Method;
  access: "open" | "user";
  /** True where another site leads to: the return from a provider. */
  fromElsewhere?: boolean;
  act(request: AccountRequest<Static<Q>, Static<P>, Static<B>>): Promise<Answer>;
}

/** For whoever has a link: of a public board, or of a mail. Mounted by shared/mount.ts. */
export interface SharedRoute<Q extends TSchema = TSchema, P extends TSchema = TSchema, B extends TSchema = TSchema>
  extends RouteBase<Q, P, B, unknown> {
  method: "GET" | "POST";
  access: "open";
  share(request: SharedRequest<Static<Q>, Static<P>, Static<B>>): Promise<Answer>;
}

export type Route = ReadRoute | WriteRoute | EventsRoute | HostedRoute | AccountRoute | SharedRoute;

export function isHosted(route: Route): route is HostedRoute {
  return "serve" in route;
}

export function isAccountRoute(route: Route): route is AccountRoute {
  return "act" in route;
}

export function isSharedRoute(route: Route): route is SharedRoute {
  return "share" in route;
}

export function isEventsRoute(route: Route): route is EventsRoute {
  return route.access === "write-key";
}

export function takesFile(route: Route): boolean {
  return "takesFile" in route && route.takesFile === true;
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

export function sharedRoute<Q extends TSchema, P extends TSchema, B extends TSchema>(
  route: SharedRoute<Q, P, B>,
): Route {
  return route as unknown as Route;
}
