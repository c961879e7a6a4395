import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import type { StoredAnswer } from "../../control/idempotency.ts";
import { acceptEvents, recordRefusal } from "../../ingest/accept.ts";
import { writeKeyOf } from "../auth.ts";
import { JSON_TYPE } from "../headers.ts";
import { runLogged } from "../idempotency.ts";
import { rateExceeded, rateHeaders } from "../rate-limit.ts";
import { eventsCost } from "../request-cost.ts";
import type { EventsRoute } from "../route.ts";
import { unpack } from "./body.ts";
import { type EventsDeps, findSender, rememberSender, senderOf } from "./deps.ts";
import { findWrongQuery } from "./query.ts";
import { isLines, isRefusal, noBody, type Refused, type SentBody } from "./sent-body.ts";

/** Accepts events and answers when they are on disk. It reads a store only if a client asks for idempotency. */
export function mountEvents(app: FastifyInstance, route: EventsRoute, deps: EventsDeps): void {
  app.route({
    method: "POST",
    url: route.path,
    onRequest: (request, reply) => admit(deps, request, reply),
    handler: (request, reply) => handle(deps, route, request, reply),
  });
}

/** Does not include a key in use: its request is running and counts, and this one has to be sent again. */
function isBadKey(cause: unknown): cause is ApiError {
  return cause instanceof ApiError && cause.code === "INVALID_IDEMPOTENCY_KEY";
}

async function admit(deps: EventsDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const sender = findSender(deps.keys, request.headers);
  if (sender === undefined) {
    deps.unknownKeys.note(writeKeyOf(request.headers));
    throw await deps.failures.refuse(request.headers.authorization, request.ip, "write key");
  }
  const verdict = await deps.limiter.take(sender.workspaceId, deps.ratePolicy);
  reply.headers(rateHeaders(verdict));
  if (!verdict.allowed) throw rateExceeded();
  rememberSender(request, sender);
}

async function handle(
  deps: EventsDeps,
  route: EventsRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sent = (request.body as SentBody | undefined) ?? noBody(senderOf(request));
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
  body: SentBody,
): Promise<FastifyReply> {
  const sender = senderOf(request);
  const key = request.headers["idempotency-key"];
  const idempotencyKey = Array.isArray(key) ? key[0] : key;
  const scope = { workspaceId: sender.workspaceId, projectId: sender.projectId };
  const refuse = async ({ why, error }: Refused): Promise<never> => {
    await recordRefusal(deps.accept, { ...scope, rules: route.rules }, why, 1);
    throw error;
  };
  const signal = whenGone(reply);
  const query = request.query as Record<string, unknown>;
  const wrong = findWrongQuery(query, route);
  if (wrong !== undefined) return refuse({ why: "bad_query", error: wrong });
  const run = async (): Promise<StoredAnswer> => {
    const unpacked = await unpackSent(deps, request.headers["content-encoding"], body, signal);
    if (!Buffer.isBuffer(unpacked)) return refuse(unpacked);
    const cost = eventsCost(unpacked.length, deps.bytesPerRequest, idempotencyKey !== undefined);
    await charge(deps, sender.workspaceId, cost, reply);
    const accepted = await acceptEvents(deps.accept, {
      ...scope,
      rules: route.rules,
      body: [unpacked],
      givesBody: true,
      lines: isLines(request.headers["content-type"] ?? ""),
      detail: query.detail === "true",
      country: deps.countryOf(request),
      idBase: idempotencyKey === undefined ? undefined : repeatableId(scope.projectId, idempotencyKey, body.bytes),
      signal,
    });
    return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(accepted) };
  };
  const call = { ...scope, key: idempotencyKey, method: request.method, url: request.url, rawBody: body.bytes };
  const result = await runLogged({ store: deps.store, clock: deps.clock, log: request.log }, call, run).catch(
    (cause: unknown) => {
      if (!isBadKey(cause)) throw cause;
      return refuse({ why: "bad_idempotency_key", error: cause });
    },
  );
  if (result.replayed) reply.header("Idempotency-Replayed", "true");
  return reply.code(result.status).type(result.contentType).send(result.body);
}

/** Aborts when the client leaves before its answer. */
function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** The bytes as they were before the client packed them, or why there are none. */
async function unpackSent(
  { budget, accept }: EventsDeps,
  encoding: string | undefined,
  { bytes, lease, refused }: SentBody,
  signal: AbortSignal,
): Promise<Buffer | Refused> {
  if (refused) return refused;
  try {
    return await unpack(bytes, encoding, budget, lease, accept.thread, signal);
  } catch (cause) {
    if (!isRefusal(cause)) throw cause;
    return { why: cause.status === 413 ? "body_too_large" : "bad_packing", error: cause };
  }
}

/**
 * A retry with the same Idempotency-Key makes the same message ids, so events count once even after a crash between
 * disk and response. The other half of the dedupe key is the event's own time, or one fixed day if it has none.
 */
function repeatableId(projectId: string, key: string, body: Uint8Array): string {
  return `msg_${createHash("sha256").update(`${projectId}\n${key}\n`).update(body).digest("base64url")}`;
}

/** Charges the workspace for what the request cost beyond one, and tells the client. */
async function charge({ limiter, ratePolicy }: EventsDeps, workspaceId: string, cost: number, reply: FastifyReply) {
  if (cost > 0) reply.headers(rateHeaders(await limiter.charge(workspaceId, ratePolicy, cost)));
}
