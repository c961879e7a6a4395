/**
 * Routes for whoever has a link: of a public board, or of a mail. No account, no key and no cookie is read, and none is
 * set. What limits a request of a stranger comes before its body is read.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import { clientGroup } from "../auth.ts";
import { addFormBodyParser } from "../body.ts";
import { sendAnswer } from "../mount.ts";
import { type AddressLimit, takePage } from "../rate-limit.ts";
import type { SharedRoute } from "../route.ts";
import type { Validate } from "../validate.ts";

export interface SharedMountDeps {
  clock: Clock;
  perReader: AddressLimit;
}

/** A password. */
const BODY_BYTES = 4 * 1024;

/** Search engines find links that somebody has put on a page. */
const HEADERS = { "X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer" };

export function mountShared(
  app: FastifyInstance,
  route: SharedRoute,
  validate: Validate,
  { clock, perReader }: SharedMountDeps,
): void {
  app.register(async (scope) => {
    // The pages behind links of mails send HTML forms, as mail clients do (RFC 8058).
    if (route.body === undefined) addFormBodyParser(scope);
    scope.route({
      method: route.method,
      url: route.path,
      bodyLimit: BODY_BYTES,
      onRequest: async (request, reply) => {
        reply.headers(HEADERS);
        await takePage(perReader, clientGroup(request.ip));
      },
      handler: async (request, reply) => {
        const parts = { params: request.params, query: request.query, body: request.body };
        const nowMs = clock.nowMs();
        validate(parts, nowMs);
        const gone = new AbortController();
        reply.raw.once("close", () => {
          if (!reply.raw.writableFinished) gone.abort();
        });
        const answer = await route.share({
          ...parts,
          opening: openingOf(request),
          client: clientGroup(request.ip),
          nowMs,
          signal: gone.signal,
          log: request.log,
        });
        return sendAnswer(reply, answer);
      },
    });
  });
}

function openingOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
}
