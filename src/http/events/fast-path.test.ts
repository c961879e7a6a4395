import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { describe, test } from "node:test";
import { LIMITS } from "../../contract/limits.ts";
import { createFastPath, type FastDeps } from "./fast-path.ts";
import { findWrongQuery, plainUrls } from "./query.ts";
import { trackEvents, trackRawEvents } from "./routes.ts";

type Call = Parameters<ReturnType<typeof createFastPath>>;

const ROUTES = [trackEvents, trackRawEvents];
const PLAIN = { "content-type": "application/json", "content-length": "10", authorization: "Bearer known" };

/** Whether the fast path takes a request; its client leaves before the body comes. */
function isTaken(changes: { method?: string; url?: string; headers?: Record<string, string> }): boolean {
  const deps: Partial<FastDeps> = {
    keys: { find: (text: string) => (text === "known" ? { workspaceId: "w" } : undefined) } as FastDeps["keys"],
    limiter: {
      takeNow: () => ({ allowed: true, limit: 1, remaining: 1, resetSeconds: 1 }),
    } as unknown as FastDeps["limiter"],
    newRequestId: () => "req_1",
    isStopping: () => false,
    budget: { resize: () => undefined } as unknown as FastDeps["budget"],
  };
  const { method = "POST", url = "/v0/events", headers = {} } = changes;
  const sent: Record<string, string> = { ...PLAIN, ...headers };
  const request = Object.assign(new EventEmitter(), {
    method,
    url,
    headers: sent,
    rawHeaders: Object.entries(sent).flat(),
  });
  const taken = createFastPath(ROUTES, deps as FastDeps)(request as unknown as Call[0], {} as Call[1]);
  if (taken) request.emit("error", new Error("the client left"));
  return taken;
}

describe("the fast path of events", () => {
  for (const url of ["/v0/events", "/v0/events?name=raw_events", "/v0/raw_events"])
    test(`serves a plain request to ${url}`, () => assert.ok(isTaken({ url })));

  const LEFT: Record<string, Parameters<typeof isTaken>[0]> = {
    "another method": { method: "GET" },
    "another path": { url: "/v0/other" },
    "a query it does not know": { url: "/v0/events?detail=true" },
    "another type": { headers: { "content-type": "application/x-ndjson" } },
    "a packed body": { headers: { "content-encoding": "gzip" } },
    "an idempotency key": { headers: { "idempotency-key": "k" } },
    "a request id": { headers: { "x-request-id": "r" } },
    "no length": { headers: { "content-length": "" } },
    "a body over the limit": { headers: { "content-length": String(LIMITS.eventsBodyBytes + 1) } },
    "headers over the limit": { headers: { "x-long": "x".repeat(LIMITS.headerBytes) } },
    "an unknown write key": { headers: { authorization: "Bearer unknown" } },
    "no write key": { headers: { authorization: "Digest known" } },
  };
  for (const [what, changes] of Object.entries(LEFT))
    test(`leaves a request with ${what} to the handler`, () => assert.equal(isTaken(changes), false));

  test("every URL that it serves is valid for the handler", () => {
    for (const route of ROUTES)
      for (const url of plainUrls(route)) {
        const query = Object.fromEntries(new URL(url, "http://x").searchParams);
        assert.equal(findWrongQuery(query, route), undefined, url);
      }
  });
});
