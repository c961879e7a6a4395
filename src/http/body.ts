import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";
import { LIMITS } from "../contract/limits.ts";
import { parseJson } from "../lib/json.ts";

const NOTHING = Buffer.alloc(0);
const rawBodies = new WeakMap<FastifyRequest, Buffer>();

/** The bytes of the body as sent: what idempotency compares. */
export function rawBodyOf(request: FastifyRequest): Buffer {
  return rawBodies.get(request) ?? NOTHING;
}

/**
 * JSON only. An empty body with a JSON content type is no error: HTTP clients set the header on DELETE and on empty POSTs too.
 */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    rawBodies.set(request, body);
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    const parsed = parseJson(body, LIMITS.jsonDepth);
    if (parsed.ok) done(null, parsed.value);
    else done(new ApiError("BAD_REQUEST", `The body ${parsed.why}`, { param: "body" }));
  });
}
