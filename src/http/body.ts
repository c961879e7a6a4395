import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";
import { FORM_LIMITS } from "../contract/forms.ts";
import { LIMITS } from "../contract/limits.ts";
import { parseJson } from "../lib/json.ts";

const NOTHING = Buffer.alloc(0);
export const FILE_TYPE = "application/octet-stream";
const FORM_TYPE = "application/x-www-form-urlencoded";
/** Every option of every field of the largest form. */
const FORM_ENTRIES = FORM_LIMITS.fields * FORM_LIMITS.options + 10;
/**
 * The largest form has 61,500 values: 100 fields with 200 options each, and each option is an object with label and
 * value. No valid body has more than some hundred names, including unknown ones.
 */
const JSON_LIMITS = { depth: LIMITS.jsonDepth, values: 80_000, names: 1_000 };
const rawBodies = new WeakMap<FastifyRequest, Buffer>();

/** The bytes of the body as sent, which idempotency compares. */
export function rawBodyOf(request: FastifyRequest): Buffer {
  return rawBodies.get(request) ?? NOTHING;
}

/** Parses the body of an HTML form, where one is allowed; the values stay texts. */
export function addFormBodyParser(app: FastifyInstance): void {
  app.addContentTypeParser(FORM_TYPE, { parseAs: "buffer" }, (request, body: Buffer, done) => {
    rawBodies.set(request, body);
    const text = body.toString("latin1");
    // Counted before parsing: a megabyte of ampersands would otherwise become half a million entries.
    if (text.split("&", FORM_ENTRIES + 1).length > FORM_ENTRIES)
      done(new ApiError("BAD_REQUEST", `The body has more than ${FORM_ENTRIES} entries`, { param: "body" }));
    else done(null, new URLSearchParams(text));
  });
}

/**
 * JSON only. An empty body with a JSON content type is accepted, because HTTP clients also set the header on DELETE and
 * on empty POSTs.
 */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    rawBodies.set(request, body);
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    try {
      done(null, parseBody(body));
    } catch (cause) {
      done(cause as ApiError);
    }
  });
}

/** Gives the bytes of a file to the route as a stream; nothing of them is held. */
export function addFileBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FILE_TYPE, (_request, payload, done) => done(null, payload));
  app.addContentTypeParser("*", (_request, _payload, done) => {
    done(new ApiError("BAD_REQUEST", `The body must be sent as Content-Type: ${FILE_TYPE}`, { status: 415 }));
  });
}

/** Throws an ApiError for what is no JSON, or too much of it. */
export function parseBody(body: Buffer): unknown {
  const parsed = parseJson(body, JSON_LIMITS);
  if (!parsed.ok) throw new ApiError("BAD_REQUEST", `The body ${parsed.why}`, { param: "body" });
  return parsed.value;
}
