import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import type { RequestReason } from "../../contract/event-reasons.ts";
import { LIMITS } from "../../contract/limits.ts";
import { validationError } from "../../contract/validation-error.ts";
import type { StoredAnswer } from "../../control/idempotency.ts";
import type { RateLimiter, RatePolicy } from "../../control/rate-limit.ts";
import type { ControlStore } from "../../control/store.ts";
import type { Sender, WriteKeyRing } from "../../control/write-key-ring.ts";
import { type AcceptDeps, acceptEvents, recordRefusal } from "../../ingest/accept.ts";
import type { Clock } from "../../lib/clock.ts";
import { bearerOf, type FailedAuth } from "../auth.ts";
import { runLogged } from "../idempotency.ts";
import { rateHeaders } from "../rate-headers.ts";
import type { EventsRoute } from "../route.ts";
import { readCounted, tooLarge, unpack } from "./body.ts";
import type { BodyBudget, BodyLease } from "./body-budget.ts";

export interface EventsDeps {
  keys: WriteKeyRing;
  failures: FailedAuth;
  limiter: RateLimiter;
  ratePolicy: RatePolicy;
  accept: AcceptDeps;
  budget: BodyBudget;
  store: ControlStore;
  clock: Clock;
  /** The visitor's country as a trusted proxy in front of us knows it. */
  countryOf(request: Pick<IncomingMessage, "headers" | "socket">): string | undefined;
}

const PIPELINE = "raw_events";
const JSON_TYPE = "application/json; charset=utf-8";
const LINES = /^application\/(x-)?(ndjson|json-?lines|jsonl)\b/i;
const DOCUMENT = /^(application\/([\w.-]+\+)?json|text\/plain)\b/i;
/** What a boolean in a query may be on the API server, too; one that was meant and not understood must not pass for absent. */
const BOOLEANS = new Set<unknown>([undefined, "true", "false"]);
const NOTHING = Buffer.alloc(0);
const senders = new WeakMap<FastifyRequest, Sender>();

/** What the parser found: the bytes and what they hold of the budget, or why they were not read. */
interface SentBody {
  bytes: Buffer;
  lease: BodyLease;
  refused?: Refused;
}

/** A request whose body is not even looked at: the ledger's word for that, and the answer. */
interface Refused {
  why: RequestReason;
  error: ApiError;
}

/** What an event's way in consists of, up to the moment it is on disk. Nothing here reads a store, unless a client asks for idempotency. */
export function mountEvents(app: FastifyInstance, route: EventsRoute, deps: EventsDeps): void {
  app.route({
    method: "POST",
    url: route.path,
    onRequest: (request, reply) => admit(deps, request, reply),
    handler: (request, reply) => handle(deps, route, request, reply),
  });
}

/** Text and no type at all are taken as JSON: that is what `navigator.sendBeacon` and simple scripts send. */
export function addEventsBodyParsers(app: FastifyInstance, budget: BodyBudget): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => {
    const lease = { bytes: 0 };
    // Thrown by the handler, which notes it: an event that was refused was received.
    const refuse = (why: Refused["why"], error: ApiError) =>
      done(null, { bytes: NOTHING, lease, refused: { why, error } } satisfies SentBody);
    const type = request.headers["content-type"] ?? "";
    if (type !== "" && !DOCUMENT.test(type) && !LINES.test(type)) {
      refuse(
        "bad_content_type",
        new ApiError("BAD_REQUEST", "Events are sent as application/json or application/x-ndjson", { status: 415 }),
      );
    } else if (Number(request.headers["content-length"]) > LIMITS.eventsBodyBytes) {
      refuse("body_too_large", tooLarge("The request body"));
    } else {
      readCounted(payload, budget, lease, (cause, pieces) => {
        if (pieces) done(null, { bytes: Buffer.concat(pieces), lease } satisfies SentBody);
        else if (isRefusal(cause)) refuse("body_too_large", cause);
        else done(cause);
      });
    }
  });
}

/** The request's own fault, unlike a service that has no room or a client that went away. */
function isRefusal(cause: unknown): cause is ApiError {
  return cause instanceof ApiError && cause.status < 500;
}

/** Not one that is in use: that request is under way and counts, and this one is to be sent again. */
function isBadKey(cause: unknown): cause is ApiError {
  return cause instanceof ApiError && cause.code === "INVALID_IDEMPOTENCY_KEY";
}

async function admit(deps: EventsDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const text = bearerOf(request.headers);
  const sender = text === undefined ? undefined : deps.keys.find(text);
  if (sender === undefined) throw await deps.failures.refuse(request.headers.authorization, request.ip, "write key");
  const verdict = await deps.limiter.take(sender.workspaceId, deps.ratePolicy);
  reply.headers(rateHeaders(verdict));
  if (!verdict.allowed) throw new ApiError("TOO_MANY_REQUESTS", "The workspace's rate limit is exceeded");
  senders.set(request, sender);
}

async function handle(
  deps: EventsDeps,
  route: EventsRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sent = (request.body as SentBody | undefined) ?? { bytes: NOTHING, lease: { bytes: 0 } };
  try {
    return await take(deps, route, request, reply, sent);
  } finally {
    deps.budget.resize(sent.lease, 0);
  }
}

async function take(
  deps: EventsDeps,
  route: EventsRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes: sent, lease, refused }: SentBody,
): Promise<FastifyReply> {
  const sender = senders.get(request);
  if (sender === undefined) throw new Error("an events request reached its handler without a sender");
  const key = request.headers["idempotency-key"];
  const idempotencyKey = Array.isArray(key) ? key[0] : key;
  const scope = { workspaceId: sender.workspaceId, projectId: sender.projectId };
  const refuse = async ({ why, error }: Refused): Promise<never> => {
    await recordRefusal(deps.accept, { ...scope, rules: route.rules }, why, 1);
    throw error;
  };
  const query = request.query as Record<string, unknown>;
  const wrong = findWrongQuery(query, route);
  if (wrong !== undefined) return refuse({ why: "bad_query", error: wrong });
  const readSent = async (): Promise<Buffer> => {
    if (refused) return refuse(refused);
    try {
      return await unpack(sent, request.headers["content-encoding"], deps.budget, lease);
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
      return refuse({ why: cause.status === 413 ? "body_too_large" : "bad_packing", error: cause });
    }
  };
  const run = async (): Promise<StoredAnswer> => {
    const body = await readSent();
    const accepted = await acceptEvents(deps.accept, {
      ...scope,
      rules: route.rules,
      body: [body],
      lines: LINES.test(request.headers["content-type"] ?? ""),
      detail: query.detail === "true",
      country: deps.countryOf(request),
      idBase: idempotencyKey === undefined ? undefined : repeatableId(scope.projectId, idempotencyKey, sent),
    });
    return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(accepted) };
  };
  const call = { ...scope, key: idempotencyKey, method: request.method, url: request.url, rawBody: sent };
  const result = await runLogged({ store: deps.store, clock: deps.clock, log: request.log }, call, run).catch(
    (cause: unknown) => {
      if (!isBadKey(cause)) throw cause;
      return refuse({ why: "bad_idempotency_key", error: cause });
    },
  );
  if (result.replayed) reply.header("Idempotency-Replayed", "true");
  return reply.code(result.status).type(result.contentType).send(result.body);
}

function findWrongQuery(query: Record<string, unknown>, route: EventsRoute): ApiError | undefined {
  const failures = new Map<string, string>();
  for (const field of ["name", "detail"])
    if (Array.isArray(query[field])) failures.set(`query.${field}`, "must be given once");
  if (!Array.isArray(query.detail) && !BOOLEANS.has(query.detail)) failures.set("query.detail", "must be a boolean");
  if (failures.size > 0) return validationError(failures);
  if (route.rules !== "tracked" || query.name === undefined || query.name === PIPELINE) return undefined;
  const message = "There is no such event pipeline; the one there is: raw_events";
  return new ApiError("NOT_FOUND", message, { param: "query.name" });
}

/**
 * A retry under the same Idempotency-Key makes the same message ids, so that even a crash between disk and answer counts once:
 * the other half of an event's key is its own time, or one fixed day where it has none.
 */
function repeatableId(projectId: string, key: string, body: Uint8Array): string {
  return `msg_${createHash("sha256").update(`${projectId}\n${key}\n`).update(body).digest("base64url")}`;
}
