/** The body of an events request as it came: which types and sizes are read, and the ledger's reason where one is not. */
import type { FastifyInstance } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import type { RequestReason } from "../../contract/event-reasons.ts";
import { LIMITS } from "../../contract/limits.ts";
import { readCounted, tooLarge } from "./body.ts";
import type { BodyBudget, BodyLease } from "./body-budget.ts";

const LINES = /^application\/(x-)?(ndjson|json-?lines|jsonl)\b/i;
const DOCUMENT = /^(application\/([\w.-]+\+)?json|text\/plain)\b/i;
export const NO_BODY = Buffer.alloc(0);

/** What the parser found: the bytes and what they hold of the budget, or why they were not read. */
export interface SentBody {
  bytes: Buffer;
  lease: BodyLease;
  refused?: Refused;
}

/** A request whose body is not even looked at: the ledger's word for that, and the answer. */
export interface Refused {
  why: RequestReason;
  error: ApiError;
}

/** Text and no type at all are taken as JSON: that is what `navigator.sendBeacon` and simple scripts send. */
export function addEventsBodyParsers(app: FastifyInstance, budget: BodyBudget): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => {
    const lease = { bytes: 0 };
    // Thrown by the handler, which notes it: an event that was refused was received.
    const refuse = (why: Refused["why"], error: ApiError) =>
      done(null, { bytes: NO_BODY, lease, refused: { why, error } } satisfies SentBody);
    const type = request.headers["content-type"] ?? "";
    if (type !== "" && !DOCUMENT.test(type) && !isLines(type)) {
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

/** The content type says JSON lines. */
export function isLines(type: string): boolean {
  return LINES.test(type);
}

/** The request's own fault, unlike a service that has no room or a client that went away. */
export function isRefusal(cause: unknown): cause is ApiError {
  return cause instanceof ApiError && cause.status < 500;
}
