/** The border between the service and the engine's process. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { LocalEngine } from "../../../src/engines/duckdb/engine.ts";
import { connectDuckdb } from "../../../src/engines/duckdb/process/client.ts";
import { listen } from "../../../src/engines/duckdb/process/server.ts";
import { EngineDown, EngineRefused } from "../../../src/engines/failures.ts";
import { METHODS, type MethodGroup } from "../../../src/engines/port.ts";
import type { SelectOptions } from "../../../src/engines/select.ts";
import { waitFor } from "../../support/wait.ts";

type Run = (...args: unknown[]) => Promise<unknown>;

/** An engine whose methods all do the same, and the port to it from another process. */
async function startEngine(run: (name: string, args: unknown[]) => Promise<unknown>) {
  const methodsOf = (group: MethodGroup, prefix: string = group) =>
    Object.fromEntries(
      Object.keys(METHODS[group]).map((name): [string, Run] => [name, (...args) => run(`${prefix}.${name}`, args)]),
    );
  const engine = {
    ...methodsOf("engine"),
    schema: methodsOf("schema"),
    maintenance: methodsOf("maintenance"),
    openBatchStore: async ({ nodeId }: { nodeId: string }) => methodsOf("batches", `batches of ${nodeId}`),
  } as unknown as LocalEngine;
  const server = await listen(engine, { token: "t", port: 0 });
  const port = connectDuckdb({ url: () => `http://127.0.0.1:${server.port}`, token: "t" });
  return {
    port,
    async stop() {
      await port.close();
      await server.close(0);
    },
  };
}

describe("a call of the engine's process", () => {
  test("reaches the method of the same name, in every group of the port", async (t) => {
    const { port, stop } = await startEngine(async (name, args) => [name, ...args]);
    t.after(stop);
    const batches = await port.openBatchStore({ nodeId: "n1", cursorFile: "" });
    const targets: Record<MethodGroup, object> = {
      engine: port,
      schema: port.schema,
      maintenance: port.maintenance,
      batches,
    };
    for (const [group, target] of Object.entries(targets))
      for (const name of Object.keys(METHODS[group as MethodGroup])) {
        const prefix = group === "batches" ? "batches of n1" : group;
        const answer = await (target as Record<string, Run>)[name]?.({ a: ["b"] }, 2);
        assert.deepEqual(answer, [`${prefix}.${name}`, { a: ["b"] }, 2]);
      }
  });

  test("reports progress, and gives nothing where the method gives nothing", async (t) => {
    const { port, stop } = await startEngine(async (_name, [onProgress]) => {
      (onProgress as (done: number, total: number) => void)(1, 2);
      return undefined;
    });
    t.after(stop);
    const seen: number[][] = [];
    const signal = new AbortController().signal;
    assert.equal(await port.maintenance.rebuild((...counts) => seen.push(counts), signal), undefined);
    assert.deepEqual(seen, [[1, 2]]);
  });

  test("leaves out what its caller leaves out", async (t) => {
    const received: unknown[][] = [];
    const { port, stop } = await startEngine(async (_name, args) => received.push(args));
    t.after(stop);
    await port.schema.migrate(undefined);
    assert.deepEqual(received, [[]]);
  });

  test("ends in the process when its caller ends it", async (t) => {
    let isRunning = false;
    let isEnded = false;
    const { port, stop } = await startEngine((_name, [, signal]) => {
      isRunning = true;
      (signal as AbortSignal).addEventListener("abort", () => {
        isEnded = true;
      });
      return new Promise(() => undefined);
    });
    t.after(stop);
    const caller = new AbortController();
    const asked = port.maintenance.materialize([], caller.signal);
    asked.catch(() => undefined);
    await waitFor("it to run", () => isRunning);
    caller.abort(new Error("enough"));
    await assert.rejects(asked, { message: "enough" });
    await waitFor("it to end", () => isEnded);
  });
});

type Select = (sql: string, options: SelectOptions) => Promise<unknown>;

/** The server of an engine that only reads. */
function serve(select: Select, port = 0) {
  return listen({ select, schema: {}, maintenance: {} } as unknown as LocalEngine, { token: "t", port });
}

const answerOf = (rows: readonly unknown[]) => ({ rows, statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } });

describe("a read of the engine's process", () => {
  test("gives each of many callers its own answer, whatever its size and letters", async (t) => {
    const server = await serve(async (sql, { params }) => answerOf([{ sql, ...params }]));
    const port = connectDuckdb({ url: () => `http://127.0.0.1:${server.port}`, token: "t" });
    t.after(async () => {
      await port.close();
      await server.close(0);
    });
    const texts = Array.from({ length: 200 }, (_, n) => `${n} ${"äß🦆".repeat(n % 7 === 0 ? 20_000 : n)}`);
    const answers = await Promise.all(texts.map((text) => port.select(text, { params: { text, big: 2n ** 60n } })));
    assert.deepEqual(
      answers.map(({ rows }) => rows),
      texts.map((text) => [{ sql: text, text, big: String(2n ** 60n) }]),
    );
  });

  test("is interrupted when its caller ends it, and the next one is answered", async (t) => {
    const ended: string[] = [];
    let running = 0;
    const server = await serve((sql, { signal }) => {
      if (sql === "short") return Promise.resolve(answerOf([]));
      running += 1;
      signal?.addEventListener("abort", () => ended.push(sql));
      return new Promise(() => undefined);
    });
    const port = connectDuckdb({ url: () => `http://127.0.0.1:${server.port}`, token: "t" });
    t.after(async () => {
      await port.close();
      await server.close(0);
    });
    await port.select("short");
    const caller = new AbortController();
    const [asked, other] = [port.select("long", { signal: caller.signal }), port.select("other")];
    other.catch(() => undefined);
    asked.catch(() => undefined);
    await waitFor("both to run", () => running === 2);
    caller.abort(new Error("enough"));
    await assert.rejects(asked, { message: "enough" });
    await waitFor("it to end", () => ended.length > 0);
    assert.deepEqual((await port.select("short")).rows, []);
    assert.deepEqual(ended, ["long"], "only the one that was ended");
  });

  test("says what the engine refuses, and goes on", async (t) => {
    const server = await serve(async (sql) => {
      if (sql === "bad") throw new EngineRefused("no such table");
      return answerOf([1]);
    });
    const port = connectDuckdb({ url: () => `http://127.0.0.1:${server.port}`, token: "t" });
    t.after(async () => {
      await port.close();
      await server.close(0);
    });
    await assert.rejects(port.select("bad"), { name: "EngineRefused", message: "no such table" });
    assert.deepEqual((await port.select("good")).rows, [1]);
  });

  test("fails when the process ends beside it, and the next one reaches the next process", async (t) => {
    let isAsked = false;
    const first = await serve(() => {
      isAsked = true;
      return new Promise(() => undefined);
    });
    let at = first.port;
    const port = connectDuckdb({ url: () => `http://127.0.0.1:${at}`, token: "t" });
    t.after(() => port.close());
    const asked = port.select("SELECT 1");
    asked.catch(() => undefined);
    await waitFor("it to run", () => isAsked);
    await first.close(0);
    await assert.rejects(asked, EngineDown);
    await assert.rejects(port.select("SELECT 1"), EngineDown);
    const second = await serve(async () => answerOf([2]));
    t.after(() => second.close(0));
    at = second.port;
    assert.deepEqual((await port.select("SELECT 2")).rows, [2]);
  });

  test("ends with its process's grace, and is answered within it", async (t) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    let isAsked = false;
    const server = await serve(() => {
      isAsked = true;
      return promise;
    });
    const port = connectDuckdb({ url: () => `http://127.0.0.1:${server.port}`, token: "t" });
    t.after(() => port.close());
    const asked = port.select("SELECT 1");
    await waitFor("it to run", () => isAsked);
    const closed = server.close(10_000);
    resolve(answerOf([3]));
    assert.deepEqual((await asked).rows, [3]);
    const startedAt = performance.now();
    await closed;
    assert.ok(performance.now() - startedAt < 9_000, "an idle connection delays no stop");
  });

  test("is refused without the token, and by a process of another version", async (t) => {
    const server = await serve(async () => answerOf([]));
    t.after(() => server.close(0));
    const other = createServer((_, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
    t.after(() => other.close());
    await waitFor("it to listen", () => other.listening);
    for (const [at, token] of [
      [server.port, "u"],
      [(other.address() as AddressInfo).port, "t"],
    ] as const) {
      const port = connectDuckdb({ url: () => `http://127.0.0.1:${at}`, token });
      t.after(() => port.close());
      await assert.rejects(port.select("SELECT 1"), (cause: Error) => {
        assert.ok(cause instanceof EngineDown);
        assert.match(cause.message, /another version/);
        return true;
      });
    }
  });

  test("survives strangers that ask for frames and reset the connection, and ends beside one that stays", async (t) => {
    const server = await serve(async () => answerOf([4]));
    const port = connectDuckdb({ url: () => `http://127.0.0.1:${server.port}`, token: "t" });
    t.after(() => port.close());
    const head = "GET /select HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: sextant-frames-1\r\n\r\n";
    const stranger = async () => {
      const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
      t.after(() => socket.destroy());
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(head);
      return socket;
    };
    for (let i = 0; i < 10; i += 1) (await stranger()).resetAndDestroy();
    assert.deepEqual((await port.select("SELECT 1")).rows, [4]);
    const [refused] = (await once(await stranger(), "data")) as [Buffer];
    assert.match(refused.toString(), /^HTTP\/1.1 404 /);
    await port.close();
    const isClosed = await Promise.race([server.close(0).then(() => true), delay(60_000, false, { ref: false })]);
    assert.ok(isClosed);
  });

  test("ends a connection whose frame has no bytes or more than a call may have, and goes on", async (t) => {
    const server = await serve(async () => answerOf([6]));
    t.after(() => server.close(0));
    const head =
      "GET /select HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\nconnection: Upgrade\r\nupgrade: sextant-frames-1\r\n\r\n";
    for (const length of [0, 256 * 1024 * 1024 + 1, 2 ** 32 - 1]) {
      const socket = connect(server.port, "127.0.0.1");
      t.after(() => socket.destroy());
      socket.on("error", () => undefined);
      socket.write(head);
      const [accepted] = (await once(socket, "data")) as [Buffer];
      assert.match(accepted.toString(), /^HTTP\/1.1 101 /);
      const ended = once(socket, "close", { signal: AbortSignal.timeout(60_000) });
      const frame = Buffer.alloc(4);
      frame.writeUInt32LE(length);
      socket.write(frame);
      await ended;
    }
    const port = connectDuckdb({ url: () => `http://127.0.0.1:${server.port}`, token: "t" });
    t.after(() => port.close());
    assert.deepEqual((await port.select("SELECT 1")).rows, [6]);
  });

  test("says that an answer cannot be written, and goes on", async (t) => {
    const server = await serve(async (sql) => answerOf([sql === "bad" ? 1n : 5]));
    t.after(() => server.close(0));
    const port = connectDuckdb({ url: () => `http://127.0.0.1:${server.port}`, token: "t" });
    t.after(() => port.close());
    await assert.rejects(port.select("bad", { signal: AbortSignal.timeout(60_000) }), EngineRefused);
    assert.deepEqual((await port.select("good")).rows, [5]);
  });
});
