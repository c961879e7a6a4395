import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { BACKENDS } from "../engines/control.ts";
import { createBlockRateLimiter } from "./rate-limit.ts";
import type { ControlSchema } from "./schema.ts";
import type { ControlStore } from "./store.ts";

const POLICY = { perSecond: 10, burst: 3 };
const UNREACHABLE = new Error("ECONNREFUSED");
const WRONG = new Error("no such table");

/** A shared store whose statements end as `answer` says, and the limiter of one node, both on a stopped clock. */
function open(t: TestContext, answer: () => Promise<{ ahead: number }>) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const seen = { statements: 0, now: 1_000_000 };
  class Driver extends DummyDriver {
    override async acquireConnection() {
      const executeQuery = async <R>() => {
        seen.statements += 1;
        return { rows: [(await answer()) as R] };
      };
      return { executeQuery, streamQuery: () => assert.fail("nothing is streamed") };
    }
  }
  const read = new Kysely<ControlSchema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Driver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const isUnavailable = (cause: unknown) => cause === UNREACHABLE;
  const store = { read, backend: BACKENDS.postgres, isUnavailable } as unknown as ControlStore;
  const limiter = createBlockRateLimiter(store, () => seen.now);
  /** Lets a request start its timer before the clock moves. */
  const wait = async (ms: number) => {
    await new Promise(setImmediate);
    seen.now += ms;
    t.mock.timers.tick(ms);
    await new Promise(setImmediate);
  };
  return { limiter, seen, wait };
}

const never = () => new Promise<never>(() => undefined);

describe("a limit that nodes share, of which each takes portions", () => {
  test("is asked of the store while that answers, and its failures are not hidden", async (t) => {
    let outcome: Promise<{ ahead: number }> = Promise.resolve({ ahead: 100_000 });
    const { limiter, seen } = open(t, () => outcome);
    assert.equal((await limiter.take("w", POLICY)).remaining, 2);
    assert.equal(seen.statements, 1);
    outcome = Promise.reject(WRONG);
    await assert.rejects(limiter.take("w", POLICY), WRONG);
  });

  test("is applied by each node while the store hangs: one request waits a second, later ones do not", async (t) => {
    const { limiter, seen, wait } = open(t, never);
    let verdict: object | undefined;
    const taking = limiter.take("w", POLICY).then((given) => {
      verdict = given;
    });
    await wait(999);
    assert.equal(verdict, undefined);
    await wait(1);
    await taking;
    assert.deepEqual(verdict, { allowed: true, limit: 3, remaining: 2, resetSeconds: 1 });
    assert.deepEqual([limiter.takeNow?.("w", POLICY)?.allowed, limiter.takeNow?.("w", POLICY)?.allowed], [true, true]);
    assert.equal((await limiter.take("w", POLICY)).allowed, false);
    assert.equal((await limiter.take("others", POLICY)).allowed, true);
    assert.equal(seen.statements, 1);
  });

  test("is the store's again five seconds after the store was unavailable", async (t) => {
    let outcome: () => Promise<{ ahead: number }> = never;
    const { limiter, seen, wait } = open(t, () => outcome());
    const first = limiter.take("a", POLICY);
    await wait(1_000);
    await first;
    await wait(4_999);
    assert.equal((await limiter.take("b", POLICY)).allowed, true);
    assert.equal(seen.statements, 1);

    await wait(1);
    assert.equal(limiter.takeNow?.("b", POLICY), undefined, "the store must be asked");
    const second = limiter.take("b", POLICY);
    await wait(1_000);
    assert.equal((await second).allowed, true);
    assert.equal(seen.statements, 2);

    outcome = async () => ({ ahead: 200_000 });
    await wait(5_000);
    assert.equal((await limiter.take("c", POLICY)).remaining, 1);
    assert.equal(seen.statements, 3);
  });

  test("does not wait for a store that reports at once that it is unavailable", async (t) => {
    const { limiter, seen } = open(t, () => Promise.reject(UNREACHABLE));
    assert.equal((await limiter.take("w", POLICY)).allowed, true);
    assert.equal(limiter.takeNow?.("w", POLICY)?.allowed, true);
    assert.equal(seen.statements, 1);
  });
});
