/** The body of an events request as sent: the accepted types and sizes, and the ledger's reason for a refusal. */
import type { FastifyInstance } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import type { RequestReason } from "../../contract/event-reasons.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Sender } from "../../control/write-key-ring.ts";
import { readCounted, tooLarge } from "./body.ts";
import type { BodyBudget, BodyLease } from "./body-budget.ts";
import { senderOf } from "./deps.ts";

const LINES = /^application\/(x-)?(ndjson|json-?lines|jsonl)\b/i;
const DOCUMENT = /^(application\/([\w.-]+\+)?json|text\/plain)\b/i;
const NO_BYTES = Buffer.alloc(0);

/** The result of the parser: the bytes and their part of the budget, or the reason why they were not read. */
export interface SentBody {
  bytes: Buffer;
  lease: BodyLease;
  refused?: Refused;
}

/** A request whose body is not read: the ledger's reason and the response. */
export interface Refused {
  why: RequestReason;
  error: ApiError;
}

export function noBody(sender: Sender): SentBody {
  return { bytes: NO_BYTES, lease: leaseOf(sender) };
}

function leaseOf({ workspaceId }: Sender): BodyLease {
  return { workspaceId, bytes: 0 };
}

/** Text, and a missing type, count as JSON: `navigator.sendBeacon` and simple scripts send those. */
export function addEventsBodyParsers(app: FastifyInstance, budget: BodyBudget): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => {
    const lease = leaseOf(senderOf(request));
    // The handler throws it and records it: a refused event was received.
    const refuse = (why: Refused["why"], error: ApiError) =>
      done(null, { bytes: NO_BYTES, lease, refused: { why, error } } satisfies SentBody);
    const type = request.headers["content-type"] ?? "";
    const announced = request.headers["content-length"];
    const length = announced === undefined ? undefined : Number(announced);
    if (type !== "" && !DOCUMENT.test(type) && !isLines(type)) {
      refuse(
        "bad_content_type",
        new ApiError("BAD_REQUEST", "Events are sent as application/json or application/x-ndjson", { status: 415 }),
      );
    } else if (length !== undefined && length > LIMITS.eventsBodyBytes) {
      refuse("body_too_large", tooLarge("The request body"));
    } else {
      readCounted(payload, length, budget, lease, (cause, pieces) => {
        if (pieces) done(null, { bytes: Buffer.concat(pieces), lease } satisfies SentBody);
        else if (isRefusal(cause) && cause.status === 413) refuse("body_too_large", cause);
        else done(cause);
      });
    }
  });
}

/** The content type says JSON lines. */
export function isLines(type: string): boolean {
  return LINES.test(type);
}

/** The request is at fault, not a full service or a client that disconnected. */
export function isRefusal(cause: unknown): cause is ApiError {
  return cause instanceof ApiError && cause.status < 500;
}
