import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openDatabase } from "../../../src/engines/duckdb/database.ts";
import { DEFAULT_LIMITS } from "../../../src/engines/duckdb/limits.ts";
import { connectDuckdb } from "../../../src/engines/duckdb/process/client.ts";
import type { FromEngine, ToEngine } from "../../../src/engines/duckdb/process/messages.ts";
import { encodeCall } from "../../../src/engines/duckdb/process/protocol.ts";
import { EVERY_MS, watchMemory } from "../../../src/engines/duckdb/process/watch-memory.ts";
import { EngineBusy, EngineRefused } from "../../../src/engines/failures.ts";
import { startTestEngine, type TestEngine, temporaryDir } from "../../support/engine.ts";
import { selectNumber } from "../../support/local-engine.ts";
import { waitFor } from "../../support/wait.ts";

const MIB = 1024 ** 2;
/** Minutes of work, and no memory. */
const ENDLESS = "SELECT max(hash(range)) AS n FROM range(100000000000)";

describe("a query of the embedded engine", () => {
  let host: TestEngine;
  before(async () => {
    // The next query waits in its own time until the one before has heard that it is cancelled.
    host = await startTestEngine({ limits: { queryMs: 6_000, memoryBytes: 64 * MIB, runningQueries: 1 } });
  });
  after(() => host.stop());
  const answers = async () => assert.equal(await selectNumber(host.engine, "SELECT 7 AS n"), 7);

  test("that exceeds its time limit is cancelled, and the next one is answered", async () => {
    const tooLong = { name: "EngineBusy", message: "the query took longer than 6 s" };
    await assert.rejects(host.engine.select(ENDLESS), tooLong);
    await answers();
    await assert.rejects(host.engine.select(ENDLESS, { timeoutMs: 200 }), {
      message: "the query took longer than 0.2 s",
    });
    await answers();
    assert.equal(host.supervisor.status().restarts, 0);
  });

  test("whose caller disconnects is cancelled and blocks no other query", async (t) => {
    // Its own time is longer than a busy machine takes to hear of an interrupt.
    const own = await startTestEngine({ limits: { queryMs: 60_000, memoryBytes: 64 * MIB, runningQueries: 1 } });
    t.after(() => own.stop());
    const stop = new AbortController();
    const asked = own.engine.select(ENDLESS, { signal: stop.signal });
    // It has the only connection, so that others wait for it.
    const next = await waitFor("it to run", async () => {
      const one = selectNumber(own.engine, "SELECT 7 AS n");
      return (await Promise.race([one, delay(200, "waits")])) === "waits" && { one };
    });
    stop.abort(new Error("gone"));
    await assert.rejects(asked, /gone/);
    const startedAt = performance.now();
    assert.equal(await next.one, 7);
    assert.ok(performance.now() - startedAt < 30_000, "before its own time was over");
    assert.equal(own.supervisor.status().restarts, 0);
  });

  test("that waits for a connection leaves the queue when its caller disconnects", async (t) => {
    const dir = temporaryDir();
    const limits = { ...DEFAULT_LIMITS, queryMs: 60_000, memoryBytes: 64 * MIB, runningQueries: 1 };
    const database = await openDatabase(join(dir, "warehouse.duckdb"), limits);
    t.after(async () => {
      await database.close();
      rmSync(dir, { recursive: true, force: true });
    });
    const [ofRunning, ofWaiting] = [new AbortController(), new AbortController()];
    const running = database.select(ENDLESS, { signal: ofRunning.signal });
    const waiting = database.select("SELECT 7 AS n", { signal: ofWaiting.signal });
    ofWaiting.abort(new Error("gone"));
    await assert.rejects(Promise.race([running, waiting]), /gone/, "before the connection is free");
    ofRunning.abort(new Error("ended"));
    await assert.rejects(running, /ended/);
    assert.deepEqual((await database.select("SELECT 7 AS n")).rows, [{ n: 7 }]);
  });

  test("that needs more memory than the limit fails with that reason", async () => {
    const cause = await host.engine.select("SELECT list(hash(range)) AS l FROM range(20000000)").catch((one) => one);
    assert.ok(cause instanceof EngineBusy, String(cause));
    await answers();
  });

  const forbidden: [what: string, sql: string][] = [
    ["reads no file", "SELECT * FROM read_text('/etc/hostname')"],
    ["lists no directory", "SELECT * FROM glob('/*')"],
    ["writes no file", "COPY (SELECT 1) TO '/tmp/sextant-forbidden.csv'"],
    ["opens no other database", "ATTACH '/tmp/sextant-forbidden.duckdb'"],
    ["loads no extension", "INSTALL httpfs"],
    ["asks nobody else", "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')"],
    ["changes no limit", "SET memory_limit = '10GB'"],
    ["changes no limit behind another statement", "SELECT 1; SET memory_limit = '10GB'"],
    ["lifts no limit", "RESET memory_limit"],
    ["changes no rule", "SET enable_external_access = true"],
  ];
  for (const [what, sql] of forbidden) {
    test(what, async () => {
      await assert.rejects(host.engine.select(sql), EngineRefused);
    });
  }

  test("needs the token, which is in no command line and no environment", async () => {
    const { supervisor } = host;
    const ask = async (path: string, authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization };
      const asked = request(`${supervisor.url()}${path}`, { method: "POST", headers });
      asked.end(encodeCall("", []).body);
      const [answer] = await once(asked, "response");
      return { status: answer.statusCode, body: await text(answer) };
    };
    const refused = { status: 404, body: "" };
    assert.deepEqual(await ask("/schema/version"), refused);
    assert.deepEqual(await ask("/schema/version", "Bearer wrong"), refused);
    assert.deepEqual(await ask("/constructor", `Bearer ${supervisor.token}`), refused);
    const allowed = await ask("/schema/version", `Bearer ${supervisor.token}`);
    assert.equal(allowed.status, 200);
    assert.match(allowed.body, /"result":\d+/);
    const url = () => supervisor.url();
    for (const [token, read] of [
      ["wrong", assert.rejects],
      [supervisor.token, assert.doesNotReject],
    ] as const) {
      const client = connectDuckdb({ url, token });
      await read(client.select("SELECT 1 AS n"));
      await client.close();
    }
    const told = await Promise.all(
      ["cmdline", "environ"].map((file) =>
        readFile(`/proc/${supervisor.status().pid}/${file}`, "utf8").catch(() => ""),
      ),
    );
    assert.ok(!told.join().includes(supervisor.token));
  });
});

/** A thread of the pool runs each statement; by default each would keep what it freed in an arena of its own. */
test("the engine's process gives freed memory back: its threads share two arenas", async (t) => {
  const host = await startTestEngine();
  t.after(() => host.stop());
  const environ = await readFile(`/proc/${host.supervisor.status().pid}/environ`, "utf8").catch(() => undefined);
  if (environ === undefined) return t.skip("there is no /proc");
  const set = environ.split("\0").filter((each) => each.startsWith("MALLOC_"));
  assert.deepEqual(set.sort(), [
    "MALLOC_ARENA_MAX=2",
    `MALLOC_MMAP_THRESHOLD_=${1024 ** 2}`,
    `MALLOC_TRIM_THRESHOLD_=${32 * 1024 ** 2}`,
  ]);
});

describe("memory beyond the limit of the process", () => {
  test("cancels running queries, and after two seconds ends the process", (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    t.mock.method(process.stderr, "write", () => true);
    const seen = { interrupts: 0, ends: 0 };
    let rss = 0;
    const interruptReads = () => {
      seen.interrupts += 1;
    };
    const end = () => {
      seen.ends += 1;
    };
    watchMemory({ interruptReads }, 100, { rss: () => rss, end });
    const pass = (ms: number) => t.mock.timers.tick(ms);
    pass(10 * EVERY_MS);
    assert.deepEqual(seen, { interrupts: 0, ends: 0 });
    rss = 101;
    pass(7 * EVERY_MS);
    assert.deepEqual(seen, { interrupts: 7, ends: 0 });
    rss = 100;
    pass(EVERY_MS);
    rss = 101;
    pass(8 * EVERY_MS);
    assert.deepEqual(seen, { interrupts: 15, ends: 1 }, "the two seconds begin again");
  });

  test("of a query that cannot be cancelled ends the process, and the next process answers", async (t) => {
    const host = await startTestEngine({ limits: { memoryBytes: 64 * MIB, processBytes: 400 * MIB } });
    t.after(() => host.stop());
    const hostile = "SELECT len(list_distinct(range(20000000))) AS n";
    const startedAt = performance.now();
    await assert.rejects(host.engine.select(hostile), { name: "EngineDown" });
    assert.ok(performance.now() - startedAt < 60_000, "no one waits for a query that does not end");
    await waitFor(
      "the next one",
      () => host.supervisor.status().restarts === 1 && host.supervisor.status().state === "ready",
    );
    assert.equal(await selectNumber(host.engine, "SELECT 7 AS n"), 7);
    assert.match(host.log.lines.join("\n"), /uses more than 419430400 bytes[\s\S]*stays above the limit/);
  });
});

test("a platform without a build of DuckDB gets a one-line error with advice", async (t) => {
  const dir = temporaryDir();
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  // As on a platform for which npm has no native package.
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (/^@duckdb\\/node-bindings-/.test(name)) throw new Error("Cannot find module '" + name + "'\\nRequire stack:");
      return next(name, context);
    } });`;
  const child = fork(fileURLToPath(new URL("../../../src/engines/duckdb/process/child.ts", import.meta.url)), [], {
    execArgv: ["--disable-warning=ExperimentalWarning", `--import=data:text/javascript,${encodeURIComponent(hook)}`],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  t.after(() => void child.kill("SIGKILL"));
  child.send({ type: "start", dir, port: 0, token: "t", limits: DEFAULT_LIMITS, lockWaitMs: 0 } satisfies ToEngine);
  const [said] = (await once(child, "message")) as [FromEngine];
  const here = `${process.platform}-${process.arch}`;
  assert.deepEqual(said, {
    type: "failed",
    reason: `DuckDB has no build for this platform (${here}): set SEXTANT_CLICKHOUSE_URL to use a ClickHouse instead`,
  });
});
