/**
 * The short way for the request that makes up nearly all traffic of the events server: a known write key, plain JSON, nothing
 * asked beyond taking it. It does what events.ts does, without the framework's layers (22 to 33 us of about 120 a request);
 * whatever is not exactly that request is left to events.ts, so there is one place for every rule and every error.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { acceptEvents } from "../../ingest/accept.ts";
import type { EventRules } from "../../ingest/check-event.ts";
import { rateHeaders } from "../rate-headers.ts";
import { readCounted } from "./body.ts";
import type { EventsDeps } from "./handler.ts";

const PATHS: Record<string, EventRules> = {
  "/v0/events": "tracked",
  "/v0/events?name=raw_events": "tracked",
  "/v0/raw_events": "raw",
};
const BEARER = "Bearer ";
/** Larger ones are rare and not worth a second look at the limit here. */
const FAST_BYTES = 1024 * 1024;

export interface FastDeps extends EventsDeps {
  newRequestId: () => string;
  isStopping: () => boolean;
  observe(path: string, status: number, seconds: number): void;
  /** Sends the public answer for whatever was thrown. */
  fail(request: IncomingMessage, response: ServerResponse, requestId: string, cause: unknown): number;
}

/** True when the request is taken care of. */
export function createFastEvents(deps: FastDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const rules = request.method === "POST" ? PATHS[request.url ?? ""] : undefined;
    if (rules === undefined || !isPlain(request)) return false;
    const length = Number(request.headers["content-length"]);
    if (!(length > 0 && length <= Math.min(FAST_BYTES, LIMITS.eventsBodyBytes))) return false;
    const authorization = request.headers.authorization ?? "";
    const sender = authorization.startsWith(BEARER) ? deps.keys.find(authorization.slice(BEARER.length)) : undefined;
    const verdict = sender && deps.limiter.takeNow?.(sender.workspaceId, deps.ratePolicy);
    if (sender === undefined || verdict === undefined) return false;
    const startedAt = performance.now();
    const requestId = deps.newRequestId();
    const common = {
      ...rateHeaders(verdict),
      "X-Request-Id": requestId,
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": EXPOSED,
      ...(deps.isStopping() ? { Connection: "close" } : {}),
    };
    const finish = (status: number) => deps.observe(request.url ?? "", status, (performance.now() - startedAt) / 1000);
    const fail = (cause: unknown) => {
      for (const [name, value] of Object.entries(common)) response.setHeader(name, value);
      finish(deps.fail(request, response, requestId, cause));
    };
    if (!verdict.allowed) {
      fail(new ApiError("TOO_MANY_REQUESTS", "The workspace's rate limit is exceeded"));
      return true;
    }
    const lease = { bytes: 0 };
    readCounted(request, deps.budget, lease, (cause, pieces) => {
      if (pieces === undefined) {
        // A client that goes away before its last byte is never heard of again: nothing was taken.
        if (cause instanceof ApiError) fail(cause);
        return;
      }
      const done = acceptEvents(deps.accept, {
        workspaceId: sender.workspaceId,
        projectId: sender.projectId,
        rules,
        body: pieces,
        lines: false,
        detail: false,
        country: deps.countryOf(request),
        idBase: undefined,
      });
      done.then(
        (accepted) => {
          deps.budget.resize(lease, 0);
          const text = JSON.stringify(accepted);
          response.writeHead(200, {
            ...common,
            "Content-Type": "application/json; charset=utf-8",
            "Content-Length": text.length,
          });
          // Letters, digits and punctuation: as Latin-1 it goes out with its headers in one copy.
          response.end(text, "latin1");
          finish(200);
        },
        (cause: unknown) => {
          deps.budget.resize(lease, 0);
          fail(cause);
        },
      );
    });
    return true;
  };
}

export const EXPOSED =
  "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id, Idempotency-Replayed";

function isPlain({ headers }: IncomingMessage): boolean {
  const type = headers["content-type"];
  return (
    (type === "application/json" || type === "application/json; charset=utf-8") &&
    headers["content-encoding"] === undefined &&
    headers["idempotency-key"] === undefined &&
    headers["x-request-id"] === undefined &&
    headers["transfer-encoding"] === undefined
  );
}
