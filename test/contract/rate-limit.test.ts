import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Type } from "typebox";
import { BACKENDS, type BackendName } from "../../src/engines/control.ts";
import { type Route, readRoute } from "../../src/http/route.ts";
import { inSomeRound } from "../../src/lib/testing.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";
import { sampleEvent } from "../support/events.ts";
import { ECHO_ENGINE_MS } from "../support/reports.ts";

const CLIENTS = 50;
const SECONDS = 4;

function countingRoute(count: () => void): Route {
  return readRoute({
    method: "GET",
    path: "/v0/counted",
    operationId: "counted",
    tag: "Test",
    summary: "Counts its calls",
    access: "query:read",
    answers: { 200: Type.Object({}) },
    handle: async () => {
      count();
      return { status: 200, body: {} };
    },
  });
}

interface Policy {
  readonly perSecond: number;
  readonly burst: number;
}

/** How many more were granted at any time than the burst and what came since the first request was sent. */
function findExcess(grants: readonly number[], { perSecond, burst }: Policy, sentAt: number): number {
  return Math.max(...grants.map((at, index) => index + 1 - burst - ((at - sentAt) / 1000) * perSecond));
}

/**
 * What is in the bucket after grants at these times. A full bucket gains nothing, so a pause of the machine among the
 * first requests lowers what there is to grant.
 */
function findLeft(grants: readonly number[], { perSecond, burst }: Policy): number {
  return grants.reduce(
    (left, at, index) => Math.min(burst, left + ((at - (grants[index - 1] ?? at)) / 1000) * perSecond) - 1,
    burst,
  );
}

for (const backend of Object.keys(BACKENDS) as BackendName[]) {
  describe(`rate limit on ${backend}`, () => {
    describe("429", () => {
      test("50 parallel clients with 4 keys of one workspace get burst plus rate, within 1 %", async (t) => {
        const policy = { perSecond: 100, burst: 200 };
        const grants: number[] = [];
        const api = await startApi(backend, { apiRate: policy }, [
          countingRoute(() => void grants.push(performance.now())),
        ]);
        t.after(() => api.stop());
        let tooMany: string | undefined;
        // A handler that runs 60 ms after its grant, as one may beside much other work, looks as if 6 grants were left. A
        // limiter that leaves some does so in every round; one that grants too many must not do so in any.
        await inSomeRound(3, async () => {
          const { sentAt, refused } = await askUntilRefused(api, grants);
          const [excess, left] = [findExcess(grants, policy, sentAt), findLeft(grants, policy)];
          const most = grants.length / 100;
          if (excess > most) tooMany = `${grants.length} granted, ${excess.toFixed(1)} more than there were`;
          assert.ok(left <= most, `${grants.length} granted, and ${left.toFixed(1)} left`);
          await expectError(refused, "plain", 429, "TOO_MANY_REQUESTS");
          for (const name of ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"]) {
            assert.match(refused.headers.get(name) ?? "", /^\d+$/, name);
          }
          assert.equal(refused.headers.get("ratelimit-remaining"), "0");
        });
        assert.equal(tooMany, undefined);
      });
    });
  });
}

/**
 * Asks with 50 clients and 4 keys of a new workspace for 4 s, and up to a refusal after them, so that nothing granted by then
 * was left unused. Of any client: the last one alone may be slower than the bucket fills.
 */
async function askUntilRefused(api: TestApi, grants: number[]): Promise<{ sentAt: number; refused: Response }> {
  const first = await api.createKey();
  const { workspaceId } = first;
  const keys = [first, ...(await Promise.all([1, 2, 3].map(() => api.createKey({ workspaceId }))))];
  const ask = (text: string | undefined) =>
    fetch(`${api.apiUrl}/v0/counted`, { headers: { authorization: `Bearer ${text}` } });
  // Another workspace warms everything up: in a pause right after the first request the bucket would be full again and
  // gain nothing more.
  const { text: other } = await api.createKey();
  await Promise.all(Array.from({ length: CLIENTS }, async () => (await ask(other)).arrayBuffer()));
  grants.length = 0;
  let refused: Response | undefined;
  let isOver = false;
  const sentAt = performance.now();
  const endAt = sentAt + SECONDS * 1000;
  const useUp = async (text: string | undefined) => {
    while (!isOver) {
      const isAfter = performance.now() >= endAt;
      const answer = await ask(text);
      if (answer.status !== 200) refused = answer.clone();
      isOver ||= isAfter && answer.status === 429;
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, i) => useUp(keys[i % keys.length]?.text)));
  assert.ok(refused);
  return { sentAt, refused };
}

describe("failed authentication", () => {
  describe("429", () => {
    test("is limited per client address; spoofed forwarding headers give no extra quota", async (t) => {
      const api = await startApi("sqlite", { failedAuthPerMinute: 20 });
      t.after(() => api.stop());
      const statuses: number[] = [];
      const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
      const startedAt = performance.now();
      for (let i = 0; i < 30 || count(429) === 0; i += 1) {
        const headers = {
          "x-forwarded-for": `203.0.113.${i}`,
          forwarded: `for=198.51.100.${i}`,
          "x-real-ip": `198.51.100.${i}`,
        };
        const answer = await fetch(`${api.apiUrl}/v0/test_reads`, { headers });
        statuses.push(answer.status);
        // One more each three seconds, which a slow machine takes.
        const most = 20 + Math.ceil((performance.now() - startedAt) / 3_000);
        assert.ok(count(401) <= most, `${count(401)} of at most ${most} were taken`);
      }
      assert.ok(count(401) >= 20, `${count(401)} were taken`);
      assert.equal(count(401) + count(429), statuses.length);
      const key = await api.createKey();
      const good = await fetch(`${api.apiUrl}/v0/test_reads`, { headers: { authorization: `Bearer ${key.text}` } });
      assert.equal(good.status, 200, "a good key is never locked out by its neighbours");
    });

    test("only the last hop in a trusted proxy's header is used", async (t) => {
      const api = await startApi("sqlite", { failedAuthPerMinute: 2, trustedProxies: ["127.0.0.1"] });
      t.after(() => api.stop());
      const call = async (forwarded: string) =>
        (await fetch(`${api.apiUrl}/v0/test_reads`, { headers: { "x-forwarded-for": forwarded } })).status;
      const spoofed: number[] = [];
      for (let i = 0; i < 4; i += 1) spoofed.push(await call(`203.0.113.${i}, 198.51.100.7`));
      assert.deepEqual(spoofed, [401, 401, 429, 429]);
      assert.equal(await call("198.51.100.8"), 401);
    });
  });
});

describe("the cost of a request", () => {
  const remaining = (answer: Response) => Number(answer.headers.get("ratelimit-remaining"));

  describe("429", () => {
    test("an events request costs more by its decoded bytes and by its idempotency key, and the headers say so", async (t) => {
      // Slow enough that nothing is earned meanwhile, and 10 KB cost a request.
      const eventsRate = { perSecond: 0.001, burst: 100 };
      const api = await startApi("sqlite", { eventsRate, eventsBytesPerSecond: 10 });
      t.after(() => api.stop());
      const { text } = await api.createWriteKey();
      const event = JSON.stringify(sampleEvent("one"));
      const post = (bytes: number, headers: Record<string, string> = {}) => {
        const body = event.padEnd(bytes);
        return fetch(`${api.eventsUrl}/v0/events`, {
          method: "POST",
          headers: { authorization: `Bearer ${text}`, "content-type": "application/json", ...headers },
          body: headers["content-encoding"] ? new Uint8Array(gzipSync(body)) : body,
        });
      };
      const costs: number[] = [];
      let left = eventsRate.burst;
      for (const answer of [
        await post(2_000),
        await post(55_000),
        await post(305_000),
        await post(205_000, { "content-encoding": "gzip" }),
        await post(2_000, { "idempotency-key": "k" }),
        await post(2_000, { "idempotency-key": "k" }),
      ]) {
        assert.equal(answer.status, 200);
        costs.push(left - remaining(answer));
        left = remaining(answer);
      }
      assert.deepEqual(costs, [1, 6, 31, 21, 10, 1]);
      const owing = await post(1_000_000, { "content-encoding": "gzip" });
      assert.deepEqual([owing.status, remaining(owing)], [200, 0]);
      await expectError(await post(2_000), "events", 429, "TOO_MANY_REQUESTS");
    });

    test("a report costs a request for each 100 ms of the engine", async (t) => {
      const api = await startApi("sqlite", { apiRate: { perSecond: 0.001, burst: 4 } });
      t.after(() => api.stop());
      const headers = { authorization: `Bearer ${(await api.createKey()).text}` };
      const get = () => fetch(`${api.apiUrl}/v0/top_sources?date_from=2026-01-01&date_to=2026-01-31`, { headers });
      const costs = 1 + Math.floor(ECHO_ENGINE_MS / 100);
      const first = await get();
      assert.deepEqual([first.status, remaining(first)], [200, 4 - costs], await first.text());
      assert.equal((await get()).status, 200, "it may owe the rest");
      await expectError(await get(), "plain", 429, "TOO_MANY_REQUESTS");
    });
  });
});
