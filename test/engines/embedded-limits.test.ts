import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startTestEngine, type TestEngine, until } from "../support/engine.ts";

const heavy = (mark: string) => `SELECT /*${mark}*/ count() FROM numbers(100000000000) WHERE sipHash64(number) = 1`;

let test: TestEngine;
before(async () => {
  test = await startTestEngine({
    limits: { querySeconds: 3, queryMemoryBytes: 200_000_000, runningQueries: 2, waitingQueries: 1, runningInserts: 1 },
  });
  await test.ask({ body: "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a" });
});
after(() => test.stop());

async function codeOf(body: string, params: Record<string, string> = {}): Promise<string | null> {
  return (await test.ask({ body, params })).headers.get("x-clickhouse-exception-code");
}

/** KILL QUERY takes no slot, so what it would kill can be asked for while all slots are taken. */
async function running(mark: string): Promise<number> {
  const sql = `KILL QUERY WHERE query LIKE '%${mark}%' AND query NOT LIKE '%KILL%' TEST`;
  const { text } = await test.ask({ body: sql });
  return text.split("\n").filter(Boolean).length;
}

describe("time", () => {
  it("a request may ask for less", async () => {
    const start = performance.now();
    assert.equal(await codeOf(heavy("time"), { max_execution_time: "0.3" }), "159");
    assert.ok(performance.now() - start < 2_000);
  });

  it("a request cannot ask for more", async () => {
    for (const asked of ["600"]) {
      const start = performance.now();
      const answer = await test.ask({ body: heavy("time"), params: { max_execution_time: asked } });
      assert.deepEqual([answer.status, answer.headers.get("x-clickhouse-exception-code")], [408, "159"]);
      assert.ok(performance.now() - start < 5_000);
    }
    for (const clause of [
      "max_execution_time = 600",
      "max_threads = 1, max_execution_time = 0",
      "max_memory_usage = 0",
    ]) {
      assert.equal(await codeOf(`SELECT 1 SETTINGS ${clause}`), "452");
      assert.equal(await codeOf(`SELECT * FROM (SELECT 1 SETTINGS ${clause})`), "452");
    }
    assert.equal(await codeOf("SELECT 1 SETTINGS max_execution_time = 1.5, max_memory_usage = 100000000"), null);
  });
});

describe("memory", () => {
  const greedy = "SELECT length(groupArray(repeat(toString(number), 50))) FROM numbers(10000000)";
  it("a greedy query fails and the engine lives", async () => {
    const pid = test.engine.status().pid;
    assert.equal(await codeOf(greedy), "241");
    assert.equal(await codeOf(greedy, { max_memory_usage: "0" }), "241");
    assert.equal(await codeOf(greedy, { max_memory_usage: "99999999999" }), "241");
    assert.equal((await test.ask({ query: "SELECT 1" })).text, "1\n");
    assert.equal(test.engine.status().pid, pid);
  });
});

describe("queries at once", () => {
  it("a short query is fast beside a long one, and inserts go on when all query slots are taken", async () => {
    const stop = new AbortController();
    const first = test.ask({ body: heavy("beside"), signal: stop.signal });
    first.catch(() => undefined);
    await until("the long query runs", async () => ((await running("beside")) === 1 ? true : undefined));
    const times: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const start = performance.now();
      assert.equal((await test.ask({ query: "SELECT 1" })).text, "1\n");
      times.push(performance.now() - start);
    }
    const median = times.sort((a, b) => a - b)[10] ?? 0;
    assert.ok(median < 200, `median ${median} ms`);
    const second = test.ask({ body: heavy("beside"), signal: stop.signal });
    second.catch(() => undefined);
    await until("both slots are taken", async () => ((await running("beside")) === 2 ? true : undefined));
    const insert = await test.ask({ query: "INSERT INTO t FORMAT TSV", body: "1\n" });
    assert.equal(insert.status, 200, insert.text);
    stop.abort();
    await Promise.allSettled([first, second]);
  });

  it("past the queue the answer is 202 TOO_MANY_SIMULTANEOUS_QUERIES at once", async () => {
    const stop = new AbortController();
    // More than there is room for, whoever comes first: a single one that asks beside them could take the last place of the queue.
    const held = Array.from({ length: 6 }, () => test.ask({ body: heavy("crowd"), signal: stop.signal }));
    for (const each of held) each.catch(() => undefined);
    const refused = await Promise.race(held);
    assert.deepEqual([refused.status, refused.headers.get("x-clickhouse-exception-code")], [500, "202"]);
    stop.abort();
    await Promise.allSettled(held);
    await until("room again", async () => ((await test.ask({ body: "SELECT 1" })).status === 200 ? true : undefined));
  });
});

describe("a client that goes away", () => {
  it("frees its query before the first byte", async () => {
    const stop = new AbortController();
    const gone = test.ask({ body: heavy("gone"), signal: stop.signal });
    gone.catch(() => undefined);
    await until("it runs", async () => ((await running("gone")) === 1 ? true : undefined));
    stop.abort();
    const start = performance.now();
    await until("it is gone", async () => ((await running("gone")) === 0 ? true : undefined));
    assert.ok(performance.now() - start < 1_500, "long before its own timeout of 3 s");
  });

  it("frees its query in the middle of the rows", async () => {
    const { engine } = test;
    const stop = new AbortController();
    const response = await fetch(engine.url(), {
      method: "POST",
      body: "SELECT /*halfway*/ number, repeat('x', 100) FROM numbers(100000000000) FORMAT TSV",
      headers: { "X-ClickHouse-User": engine.username, "X-ClickHouse-Key": engine.password },
      signal: stop.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    stop.abort();
    await until("it is gone", async () => ((await running("halfway")) === 0 ? true : undefined), 2_500);
    assert.equal((await test.ask({ query: "SELECT 1" })).text, "1\n");
  });

  it("leaves no slot taken, at whatever moment it goes", async () => {
    const statements = [heavy("any"), "SELECT number, repeat('x', 100) FROM numbers(100000000)", "SELECT nope"];
    for (let index = 0; index < 120; index += 1) {
      const stop = new AbortController();
      const call = test.ask({ body: statements[index % 3] ?? "", signal: stop.signal });
      call.catch(() => undefined);
      const wait = index % 12;
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      stop.abort();
    }
    await until("both slots work", async () => {
      const answers = await Promise.all([1, 2].map(() => test.ask({ body: "SELECT sleep(0.05)" })));
      return answers.every(({ status }) => status === 200) ? true : undefined;
    });
    await until("nothing runs", async () => {
      const { text } = await test.ask({ body: "SELECT count() FROM system.processes" });
      return text === "1\n" ? true : undefined;
    });
  });

  it("leaves the queue", async () => {
    const stop = new AbortController();
    const held = [1, 2].map(() => test.ask({ body: heavy("queue"), signal: stop.signal }));
    for (const each of held) each.catch(() => undefined);
    await until("both slots are taken", async () => ((await running("queue")) === 2 ? true : undefined));
    for (let index = 0; index < 5; index += 1) {
      const waiting = new AbortController();
      const call = test.ask({ body: "SELECT 1", signal: waiting.signal });
      waiting.abort();
      await assert.rejects(call, { name: "AbortError" });
    }
    stop.abort();
    await Promise.allSettled(held);
    await until("room again", async () => ((await test.ask({ body: "SELECT 1" })).status === 200 ? true : undefined));
  });
});
