/** What a user's statement costs others when nothing ends it: nothing while it is planned, a short wait while it runs. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { LocalEngine } from "../../../src/engines/duckdb/engine.ts";
import { createMacros } from "../../../src/engines/duckdb/planning.ts";
import { connectDuckdb } from "../../../src/engines/duckdb/process/client.ts";
import { listen } from "../../../src/engines/duckdb/process/server.ts";
import { createPlanners } from "../../../src/engines/duckdb/user-sql/planners.ts";
import { createUserQueries, type UserQueries } from "../../../src/engines/duckdb/user-sql/run.ts";
import { EngineBusy } from "../../../src/engines/failures.ts";
import { StatementRefused } from "../../../src/engines/user-sql/statement-refused.ts";
import { startLocalEngine } from "../../support/local-engine.ts";
import { whyNoProc } from "../../support/platform.ts";
import { findChildren } from "../../support/process.ts";
import { askEngine } from "../../support/user-engines.ts";
import { waitFor } from "../../support/wait.ts";

const MIB = 1024 ** 2;
const project = { id: "p", firstDay: "1970-01-01" };
const statement = (workspaceId: string, sql = "SELECT 1 AS x", timeoutMs = 60_000) =>
  ({ sql, workspaceId, project, format: "json", timeoutMs }) as const;
const forever = () => new AbortController().signal;

/** Two megabytes: more than is collected before an answer begins. */
const LONG_ANSWER = `SELECT concat('${"x".repeat(20_000)}', toString(a)) AS c
FROM (SELECT arrayJoin(${JSON.stringify(Array.from({ length: 100 }, (_, n) => n))}) AS a) s`;

/** Statements that run until they are told to end, and hear an interrupt or do not. */
function createEndless(hears: boolean) {
  const running = new Set<() => void>();
  const heard = { interrupts: 0 };
  const connect = async () => {
    let stop: () => void = () => undefined;
    return {
      run: async () => undefined,
      stream: () =>
        new Promise((_, reject) => {
          stop = () => reject(new Error("INTERRUPT Error: Interrupted!"));
          running.add(stop);
        }),
      interrupt() {
        heard.interrupts += 1;
        if (hears) stop();
      },
      closeSync: () => undefined,
    };
  };
  return { file: { connect: connect as unknown as () => Promise<DuckDBConnection> }, running, heard };
}

const LIMITS = { running: 3, answerBytes: MIB, blameBytes: 100 * MIB, stuckMs: 50 };

describe("a statement that runs on after its limit", () => {
  test("is refused to its caller, and its process is given up", async (t) => {
    const { file, running } = createEndless(false);
    const stuck: string[] = [];
    const queries = createUserQueries(file, LIMITS, (workspaceId) => stuck.push(workspaceId));
    t.after(() => queries.close());
    // Starts the process that plans: that may take longer than the statement's limit.
    await assert.rejects(queries.run(statement("w", "SELEC 1"), forever()), StatementRefused);
    const asked = queries.run(statement("w", "SELECT 1 AS x", 5_000), forever());
    asked.catch(() => undefined);
    await waitFor("it to run", () => running.size === 1);
    await assert.rejects(asked, { name: "StatementRefused", message: "The query took longer than 5 s" });
    assert.deepEqual(stuck, ["w"]);
  });

  test("costs nothing where it hears its end", async (t) => {
    const { file } = createEndless(true);
    const stuck: string[] = [];
    const queries = createUserQueries(file, LIMITS, (workspaceId) => stuck.push(workspaceId));
    t.after(() => queries.close());
    await assert.rejects(queries.run(statement("w", "SELEC 1"), forever()), StatementRefused);
    await assert.rejects(queries.run(statement("w", "SELECT 1 AS x", 3_000), forever()), StatementRefused);
    await waitFor("its place to be free", () => queries.count() === 0);
    assert.deepEqual(stuck, []);
  });

  test("because nobody reads its answer is ended, and its process is not given up", async (t) => {
    const instance = await DuckDBInstance.create(":memory:");
    t.after(() => instance.closeSync());
    const connect = async () => {
      const connection = await instance.connect();
      await createMacros(connection);
      const stream = connection.stream.bind(connection);
      // The answer begins later after the limit began than the limit is before the process would be given up.
      connection.stream = async (...given) => {
        await delay(2_500);
        return stream(...given);
      };
      return connection;
    };
    const stuck: string[] = [];
    const limits = { ...LIMITS, answerBytes: 100 * MIB, stuckMs: 2_000 };
    const queries = createUserQueries({ connect }, limits, (workspaceId) => stuck.push(workspaceId));
    t.after(() => queries.close());
    await assert.rejects(queries.run(statement("w", "SELEC 1"), forever()), StatementRefused);
    const answer = await queries.run(statement("w", LONG_ANSWER, 8_000), forever());
    const [cause] = (await once(answer, "error")) as [Error];
    assert.equal(cause.message, "The query took longer than 8 s");
    await waitFor("its place to be free", () => queries.count() === 0);
    assert.deepEqual(stuck, []);
  });
});

describe("an engine that restarts for somebody else's statement", () => {
  const answering = (rows: unknown[]) =>
    ({ select: async () => ({ rows, statistics: {} }), maintenance: {}, schema: {} }) as unknown as LocalEngine;
  const silent = (asked: () => void) =>
    ({
      select: () => {
        asked();
        return new Promise(() => undefined);
      },
      maintenance: {},
      schema: {},
    }) as unknown as LocalEngine;

  test("answers the reports that were running, after a short wait", async (t) => {
    let asked = 0;
    const first = await listen(
      silent(() => {
        asked += 1;
      }),
      { token: "t", port: 0 },
    );
    const client = connectDuckdb({ url: () => `http://127.0.0.1:${first.port}`, token: "t" });
    t.after(() => client.close());
    const reports = [client.select("SELECT 7 AS n"), client.select("SELECT 7 AS n")];
    await waitFor("both to run", () => asked === 2);
    await first.restart();
    const second = await listen(answering([{ n: 7 }]), { token: "t", port: first.port });
    t.after(() => second.close(0));
    for (const report of reports) assert.deepEqual((await report).rows, [{ n: 7 }]);
  });
});

describe("memory that statements take", () => {
  const growing =
    (queries: UserQueries, running: ReadonlySet<unknown>) => async (workspaceId: string, bytes: number) => {
      const before = running.size;
      const cause = queries.run(statement(workspaceId), forever()).catch((reason: unknown) => reason);
      await waitFor("it to run", () => running.size === before + 1);
      queries.addGrowth(bytes);
      return { cause };
    };

  test("while one that was ended goes on, costs no other its answer that took little", async (t) => {
    const { file, running, heard } = createEndless(false);
    const queries = createUserQueries(file, LIMITS, () => undefined);
    t.after(() => queries.close());
    const start = growing(queries, running);
    await start("hungry", 300 * MIB);
    queries.endLargest();
    const modest = await start("modest", 2 * MIB);
    queries.endLargest();
    assert.equal(heard.interrupts, 1, "the other took 2 MiB at most");
    queries.addGrowth(120 * MIB);
    queries.endLargest();
    assert.equal(heard.interrupts, 2, "it may have taken 122 MiB");
    for (const stop of running) stop();
    assert.ok((await modest.cause) instanceof EngineBusy);
  });

  test("is given back by an answer that nobody begins to read", async (t) => {
    const local = await startLocalEngine();
    t.after(local.stop);
    // More than a workspace has places.
    for (let nth = 0; nth < 8; nth += 1) {
      const answer = await local.engine.runUserQuery(statement("w", LONG_ANSWER), forever());
      answer.destroy();
    }
  });

  test("ends the largest of the workspace that took the most, and tells the others that they are not to blame", async (t) => {
    const { file, running } = createEndless(true);
    const queries = createUserQueries(file, LIMITS, () => undefined);
    t.after(() => queries.close());
    const start = growing(queries, running);
    const hungry = await start("hungry", 300 * MIB);
    const modest = await start("modest", 2 * MIB);
    queries.endLargest();
    const ofHungry = await hungry.cause;
    assert.ok(ofHungry instanceof StatementRefused && /needs more memory/.test(ofHungry.message), String(ofHungry));
    assert.equal(queries.count(), 1, "the other runs on");
    queries.endAll();
    assert.ok((await modest.cause) instanceof EngineBusy);
  });
});

const page = (sql: string) => ({ sql, format: "json", part: "page" }) as const;

describe("a statement that takes any time to plan", () => {
  /** As large as a statement may be; its plan takes two seconds on a machine without other work. */
  const star = Array.from({ length: 47 }, (_, n) => `(SELECT arrayJoin([1]) AS a) t${n}`).join(", ");
  const joined = Array.from({ length: 47 }, (_, n) => `t${n}.a = t.a`).join(" AND ");
  const bomb = `SELECT count() FROM (SELECT arrayJoin([1,2]) AS a) t, ${star} WHERE ${joined}`;
  const sums = Array.from({ length: 400 }, (_, n) => `t${n % 47}.a + t${(n * 7 + 3) % 47}.a = t${(n * 5 + 1) % 47}.a`);
  /** Ten seconds, if it is let. */
  const endless = `${bomb} AND ${sums.join(" AND ")}`;

  test("ends with its caller, and statements beside it and after it are planned", async (t) => {
    const planners = createPlanners();
    t.after(() => planners.close());
    await planners.plan(page("SELECT 1 AS x"), forever());
    const stop = new AbortController();
    const second = planners.plan(page("SELECT 2 AS x"), forever());
    const asked = planners.plan(page(bomb), stop.signal);
    asked.catch(() => undefined);
    assert.match((await second).sql, /2/);
    stop.abort(new Error("its time is over"));
    await assert.rejects(asked, /its time is over/);
    assert.match((await planners.plan(page("SELECT 3 AS x"), forever())).sql, /3/);
  });

  test("is refused for its own time, and the next is planned", async (t) => {
    const planners = createPlanners({ processorMs: 300 });
    t.after(() => planners.close());
    await assert.rejects(planners.plan(page(endless), forever()), {
      name: "StatementRefused",
      message: "The query takes too long to plan: it has too many parts",
    });
    assert.match((await planners.plan(page("SELECT 3 AS x"), forever())).sql, /3/);
  });

  test("because its process gets no processor is planned when it gets one", {
    skip: whyNoProc() ?? false,
  }, async (t) => {
    const { planners, stop, start } = await startPlanner(t, {});
    stop();
    const asked = planners.plan(page("SELECT 2 AS x"), forever());
    asked.catch(() => undefined);
    // Longer than planning may take of a processor.
    await delay(6_000);
    start();
    assert.match((await asked).sql, /2/);
  });

  test("and gets no processor at all is answered as busy", { skip: whyNoProc() ?? false }, async (t) => {
    // Long enough for the statement before it, also beside much other work.
    const { planners, stop } = await startPlanner(t, { planMs: 10_000 });
    stop();
    await assert.rejects(planners.plan(page("SELECT 2 AS x"), forever()), EngineBusy);
  });
});

/** With a process that is ready, and can be stopped. Those of the tests before may still be ending. */
async function startPlanner(t: TestContext, limits: Parameters<typeof createPlanners>[0]) {
  const find = () => findChildren(process.pid, "user-sql/planner-process.ts");
  const others = find();
  const planners = createPlanners(limits);
  t.after(() => planners.close());
  await planners.plan(page("SELECT 1 AS x"), forever());
  const [planner = 0, ...more] = find().filter((pid) => !others.includes(pid));
  assert.ok(planner > 0 && more.length === 0);
  return {
    planners,
    stop: () => process.kill(planner, "SIGSTOP"),
    start: () => process.kill(planner, "SIGCONT"),
  };
}

test("a statement that fails after its first rows is an error, and no answer with fewer rows", async (t) => {
  const local = await startLocalEngine();
  t.after(local.stop);
  const digits = Array.from({ length: 10 }, (_, n) => `SELECT ${n} AS x`).join(" UNION ALL ");
  const rows = (failing: number) => `WITH d AS (${digits}), numbers AS (
      SELECT a.x * 10000 + b.x * 1000 + c.x * 100 + e.x * 10 + f.x AS n
      FROM d AS a CROSS JOIN d AS b CROSS JOIN d AS c CROSS JOIN d AS e CROSS JOIN d AS f)
    SELECT toInt32(if(n = ${failing}, 'x', toString(n))) AS v FROM numbers LIMIT 100000`;
  assert.equal((await askEngine(local, rows(-1))).data.length, 100_000);
  for (const failing of [5, 94_321]) await assert.rejects(askEngine(local, rows(failing)), /./, String(failing));
});
