import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import type { RateVerdict } from "../../control/rate-limit.ts";
import { pageOrigin } from "../account/own-origin.ts";
import { clientGroup } from "../auth.ts";
import { addFormBodyParser, rawBodyOf } from "../body.ts";
import type { ErrorEdge } from "../errors.ts";
import { sendAnswer } from "../mount.ts";
import { rateHeaders, takePage } from "../rate-limit.ts";
import type { HostedRoute } from "../route.ts";
import type { HostedDeps, HostedRequest } from "./deps.ts";
import { problemPage } from "./form-page.ts";
import { FORM_HEADERS } from "./form-style.ts";
import { mayGiveBack } from "./limits.ts";

/** Hosted pages parse the bodies of HTML forms, which no other route does, and show failures to a person as a page. */
export function mountHosted(app: FastifyInstance, route: HostedRoute, deps: HostedDeps, edge: ErrorEdge): void {
  app.register(async (scope) => {
    addFormBodyParser(scope);
    scope.setErrorHandler((cause, request, reply) =>
      wantsPage(request) ? sendProblem(reply, edge.translate(request, cause)) : edge.send(request, reply, cause),
    );
    scope.route({
      method: route.method,
      url: route.path,
      // Before the body is read: whoever is over the limit must not make us read and parse a megabyte.
      onRequest: async (request) => admit(request, route, deps),
      handler: async (request, reply) => sendAnswer(reply, await route.serve(toHosted(request, deps))),
    });
  });
}

const overLimit = new WeakMap<FastifyRequest, RateVerdict>();

async function admit(request: FastifyRequest, route: HostedRoute, deps: HostedDeps): Promise<void> {
  const client = clientGroup(request.ip);
  if (route.method === "GET") return takePage(deps.perReader, client);
  const verdict = await deps.perAddress.limiter.take(client, deps.perAddress.policy);
  if (verdict.allowed) return;
  if (!wantsPage(request) || !(await mayGiveBack(deps, client, request.headers["content-length"])))
    throw new ApiError("TOO_MANY_REQUESTS", "Too many submissions from this address", {
      headers: rateHeaders(verdict),
    });
  overLimit.set(request, verdict);
}

function toHosted(request: FastifyRequest, deps: HostedDeps): HostedRequest {
  const key = request.headers["idempotency-key"];
  return {
    formId: (request.params as { formId?: string }).formId ?? "",
    query: request.query as Record<string, unknown>,
    body: request.body,
    rawBody: rawBodyOf(request),
    method: request.method,
    url: request.url,
    idempotencyKey: Array.isArray(key) ? key[0] : key,
    origin: pageOrigin(request.headers, deps.publicApiUrl()),
    wantsPage: wantsPage(request),
    overLimit: overLimit.get(request),
    log: request.log,
  };
}

/**
 * A browser accepts text/html. A program without an Accept header gets the page on GET and JSON on POST. A post of JSON
 * always gets JSON.
 */
function wantsPage(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? "";
  if (request.method === "POST")
    return accept.includes("text/html") && !/^application\/json\b/i.test(request.headers["content-type"] ?? "");
  return accept.includes("text/html") || !accept.includes("application/json");
}

function sendProblem(reply: FastifyReply, failure: ApiError): FastifyReply {
  const [title, text] = describe(failure);
  return reply
    .code(failure.status)
    .headers({ ...failure.headers, ...FORM_HEADERS })
    .type("text/html; charset=utf-8")
    .send(problemPage(title, text));
}

function describe(failure: ApiError): [string, string] {
  if (failure.status === 404)
    return [
      "This form is not here",
      "It may have been removed, or the address has a typing error. Please ask whoever sent it to you.",
    ];
  if (failure.status === 429)
    return [
      "Please wait a moment",
      "Too much came from your network at once. Please go back and try again in a minute.",
    ];
  if (failure.status === 413)
    return ["That was too much", "Your answers are larger than this form takes. Please go back and shorten them."];
  if (failure.status >= 500)
    return [
      "Something is wrong on our side",
      "Your answers were not sent. Please go back, wait a moment and send them again.",
    ];
  return ["That did not work", "Your answers were not sent. Please go back and try again."];
}
