import type { KeyObject } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { recordAudit } from "../accounts/audit.ts";
import type { SessionAuth } from "../accounts/authenticate-session.ts";
import { ApiError } from "../contract/errors.ts";
import type { StoredAnswer } from "../control/idempotency.ts";
import type { RateLimiter, RatePolicy } from "../control/rate-limit.ts";
import type { SecretBox } from "../control/secret-box.ts";
import type { ControlStore, Tx } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { extendCookie, findSignedIn, type Principal, toPrincipal } from "./account/principal.ts";
import { type AuthDeps, clientGroup, findKeyText, getKey, requireScope } from "./auth.ts";
import { addFileBodyParser, rawBodyOf } from "./body.ts";
import { readBodyOfGet } from "./body-of-get.ts";
import { chargeEngine } from "./charge.ts";
import { JSON_TYPE } from "./headers.ts";
import { runWrite } from "./idempotency.ts";
import { type AddressLimit, rateExceeded, rateHeaders, takePage } from "./rate-limit.ts";
import { type Answer, type ReadRoute, type RouteRequest, takesFile, type WriteRoute } from "./route.ts";
import type { Validate } from "./validate.ts";

export interface RouteDeps {
  store: ControlStore;
  clock: Clock;
  auth: AuthDeps;
  sessions: SessionAuth;
  limiter: RateLimiter;
  ratePolicy: RatePolicy;
  publicApiUrl: () => string;
  /** Wakes the delivery worker of this process, if there is one. */
  wakeDelivery: () => void;
  perReader: AddressLimit;
  /** Encrypts responses with a secret while they are kept for replays. */
  answerBox: SecretBox;
  /** Of requests of routes with a secret. */
  fingerprintKey: KeyObject;
  keyLeaseMs: number | undefined;
}

const KEY_BODY_BYTES = 4 * 1024;
const principals = new WeakMap<FastifyRequest, Principal>();

/**
 * The steps of every route, in this order: credential, rate limit, body, validation, and for writes one transaction
 * with its idempotency record. The credential is checked before the body is read, so that nobody without a key can make
 * us read megabytes.
 */
export function mountRoute(
  app: FastifyInstance,
  route: ReadRoute | WriteRoute,
  validate: Validate,
  deps: RouteDeps,
): void {
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    const text = findKeyText(route.path, request.headers);
    if (text !== undefined || !route.keyInBody) await admitRequest(deps, route, text, request, reply);
  };
  const admitLate = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!principals.has(request)) await admitRequest(deps, route, findBodyKey(request.body), request, reply);
  };
  const mount = (scope: FastifyInstance) =>
    scope.route({
      method: route.method,
      url: route.path,
      ...(route.access === "open" ? {} : { onRequest: admit }),
      ...(route.perReader ? { onRequest: (request) => takePage(deps.perReader, clientGroup(request.ip)) } : {}),
      // A key in the body is known only after the body is read, so such a route has a small body limit.
      ...(route.keyInBody ? { preValidation: admitLate, bodyLimit: KEY_BODY_BYTES } : {}),
      ...(route.method === "GET" && route.body ? { preValidation: readBodyOfGet } : {}),
      handler: async (request, reply) => {
        const call = toCall(deps, request, reply, validate);
        if (route.kind === "write") return handleWrite(deps, route, request, reply, call);
        return sendAnswer(reply, await route.handle(call));
      },
    });
  if (!takesFile(route)) mount(app);
  else
    app.register(async (scope) => {
      addFileBodyParser(scope);
      mount(scope);
    });
}

async function admitRequest(
  deps: RouteDeps,
  route: ReadRoute | WriteRoute,
  text: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const principal = await getPrincipal(deps, route, text, request, reply);
  const { key, member } = principal;
  const verdict = await deps.limiter.take(key.workspaceId, deps.ratePolicy);
  reply.headers(rateHeaders(verdict));
  if (!verdict.allowed) throw rateExceeded();
  requireScope(key, member, route);
  principals.set(request, principal);
}

/** A key wins over a cookie. A route that takes the key in its body is about keys. */
async function getPrincipal(
  deps: RouteDeps,
  route: ReadRoute | WriteRoute,
  text: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Principal> {
  const signedIn =
    text === undefined && !route.keyInBody
      ? await findSignedIn(deps.sessions, request, deps.publicApiUrl())
      : undefined;
  if (signedIn !== undefined) {
    await extendCookie(deps, request, reply, signedIn);
    return toPrincipal(deps.store.read, request, signedIn);
  }
  if (text === undefined && route.access === "member") throw new ApiError("UNAUTHORIZED", "Sign in first");
  return { key: await getKey(deps.auth, text, request.ip) };
}

function findBodyKey(body: unknown): string | undefined {
  const key = (body as { apiKey?: unknown } | null | undefined)?.apiKey;
  return typeof key === "string" ? key : undefined;
}

function toCall(deps: RouteDeps, request: FastifyRequest, reply: FastifyReply, validate: Validate): RouteRequest {
  const parts = { params: request.params, query: request.query, body: request.body };
  const nowMs = deps.clock.nowMs();
  const checked = validate(parts, nowMs);
  // An open route has neither, and its handler needs neither.
  const { key, member } = (principals.get(request) ?? {}) as Principal;
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return {
    key,
    member,
    parts: { ...parts, headers: request.headers },
    checked,
    db: deps.store.read,
    nowMs,
    signal: gone.signal,
    charge: (engineMs) => chargeEngine(deps, request, reply, key.workspaceId, engineMs),
  };
}

async function handleWrite(
  deps: RouteDeps,
  route: WriteRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  call: RouteRequest,
): Promise<FastifyReply> {
  const header = request.headers["idempotency-key"];
  const hide = (answer: StoredAnswer): StoredAnswer =>
    route.answersSecret ? { ...answer, body: deps.answerBox.seal(call.key.workspaceId, answer.body) } : answer;
  const result = await runWrite(
    { store: deps.store, clock: deps.clock, log: request.log, leaseMs: deps.keyLeaseMs },
    {
      workspaceId: call.key.workspaceId,
      projectId: call.key.projectId,
      key: Array.isArray(header) ? header[0] : header,
      method: request.method,
      url: request.url,
      rawBody: rawBodyOf(request),
      // The response of a route that every key may call depends on what the key may see. A user repeats only their own.
      apiKeyId: call.member?.userId ?? (route.access === "any" ? call.key.id : undefined),
      fingerprintKey: route.answersSecret ? deps.fingerprintKey : undefined,
    },
    async (tx) => {
      const answer = await route.handle(call, tx);
      await recordWrite(tx, route, call, answer);
      return hide(toStored(answer));
    },
    async () => route.prepare?.(call),
  );
  if (result.replayed) reply.header("Idempotency-Replayed", "true");
  else if (route.wakesDelivery) deps.wakeDelivery();
  const body = route.answersSecret ? deps.answerBox.open(call.key.workspaceId, result.body) : result.body;
  return reply.code(result.status).type(result.contentType).send(body);
}

/** Every change that a signed-in user makes is in the audit log. A POST that only reads is none. */
async function recordWrite(tx: Tx, route: WriteRoute, { key, member, parts, nowMs }: RouteRequest, answer: Answer) {
  if (member === undefined || route.access.endsWith(":read") || answer.isUnaudited) return;
  const made = (answer.body as { data?: { id?: unknown } } | undefined)?.data?.id;
  const named = Object.values((parts.params ?? {}) as Record<string, string>).at(-1);
  await recordAudit(
    tx,
    key.workspaceId,
    {
      userId: member.userId,
      actor: member.name,
      action: route.operationId,
      target: answer.audit?.target ?? named ?? (typeof made === "string" ? made : ""),
      details: answer.audit?.details ?? {},
    },
    nowMs,
  );
}

/** A write returns JSON, or an empty text, and throws failures: only then does the transaction roll back. */
function toStored(answer: Answer): StoredAnswer {
  if (answer.status >= 400) throw new Error(`a write returned ${answer.status} instead of throwing it`);
  return { status: answer.status, contentType: JSON_TYPE, body: answer.text ?? JSON.stringify(answer.body ?? null) };
}

export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status).headers(answer.headers ?? {});
  const { stream } = answer;
  if (stream) {
    // Also after a HEAD, which is answered without the stream. The client may have left already.
    if (reply.raw.closed) stream.destroy();
    else reply.raw.once("close", () => stream.destroy());
    return reply.type(answer.contentType ?? JSON_TYPE).send(stream.takeWhole?.() ?? stream);
  }
  if (answer.text !== undefined) return reply.type(answer.contentType ?? "text/plain; charset=utf-8").send(answer.text);
  return reply.type(answer.contentType ?? JSON_TYPE).send(JSON.stringify(answer.body));
}
