import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startEmbeddedEngine } from "../../src/engines/embedded/supervisor.ts";
import { collectLog, isAlive, startTestEngine, type TestEngine, temporaryDir, until } from "../support/engine.ts";

const HOST = fileURLToPath(new URL("../support/engine-host.ts", import.meta.url));
const cleanups: Array<() => Promise<void> | void> = [];
after(async () => {
  for (const clean of cleanups.reverse()) await clean();
});

async function start(options: Parameters<typeof startTestEngine>[0] = {}): Promise<TestEngine> {
  const test = await startTestEngine(options);
  cleanups.push(() => test.stop());
  return test;
}

async function killAndWait(test: TestEngine): Promise<number> {
  const pid = test.engine.status().pid ?? 0;
  const restarts = test.engine.status().restarts;
  const killed = performance.now();
  process.kill(pid, "SIGKILL");
  await until("the engine is back", () => {
    const status = test.engine.status();
    return status.restarts > restarts && status.state === "ready" ? status : undefined;
  });
  return performance.now() - killed;
}

describe("kill -9 of the engine", () => {
  it("it is back within 5 s at the same address, and every acknowledged row is there once", async () => {
    const test = await start();
    const states: string[] = [];
    test.engine.onChange(({ state }) => states.push(state));
    const url = test.engine.url();
    await test.ask({ body: "CREATE DATABASE d" });
    const window = "SETTINGS non_replicated_deduplication_window = 1000";
    await test.ask({ body: `CREATE TABLE d.t (a UInt64, b String) ENGINE = MergeTree ORDER BY a ${window}` });
    const acknowledged = new Set<number>();
    let stop = false;
    const writer = async (from: number): Promise<void> => {
      for (let a = from; !stop; a += 2) {
        const rows = JSON.stringify({ a, b: "x".repeat(1000) });
        const params = { insert_deduplication_token: String(a) };
        // A batch is sent again until it is acknowledged, as the service does; the token keeps it single.
        while (!stop) {
          try {
            const answer = await test.ask({ query: "INSERT INTO d.t FORMAT JSONEachRow", body: rows, params });
            if (answer.status !== 200) continue;
            acknowledged.add(a);
            break;
          } catch {
            await until("the engine is ready", () => (test.engine.status().state === "ready" ? true : undefined));
          }
        }
      }
    };
    const writers = [writer(0), writer(1)];
    for (let cycle = 1; cycle <= 3; cycle += 1) {
      const seen = acknowledged.size;
      await until("inserts flow", () => (acknowledged.size > seen + 20 ? true : undefined));
      const ms = await killAndWait(test);
      assert.ok(ms < 5_000, `back after ${ms} ms`);
    }
    stop = true;
    await Promise.all(writers);
    const { text } = await test.ask({ body: "SELECT a FROM d.t ORDER BY a" });
    const stored = text.split("\n").filter(Boolean).map(Number);
    assert.equal(new Set(stored).size, stored.length, "no row twice");
    for (const a of acknowledged) assert.ok(stored.includes(a), `row ${a} was acknowledged`);
    assert.doesNotMatch((await test.ask({ body: "CHECK TABLE d.t" })).text, /\t0\t/);
    assert.equal(test.engine.url(), url);
    assert.deepEqual(states.slice(0, 2), ["restarting", "ready"]);
    assert.equal(test.engine.status().lastExit, "SIGKILL");
    assert.ok(!test.log.lines.join("\n").includes(test.engine.password));
  });

  it("a port that was taken meanwhile makes it move", async () => {
    const test = await start();
    const old = new URL(test.engine.url()).port;
    const thief = createServer();
    cleanups.push(() => void thief.close());
    process.kill(test.engine.status().pid ?? 0, "SIGSTOP");
    process.kill(test.engine.status().pid ?? 0, "SIGKILL");
    await until("the port is free to take", async () => {
      const outcome = once(thief, "listening");
      thief.listen(Number(old), "127.0.0.1");
      try {
        await outcome;
        return true;
      } catch {
        // EADDRINUSE: the killed engine still holds it, or the next one was faster; then that is killed too, and after a second
        // death the supervisor waits long enough for the thief.
        const { state, pid } = test.engine.status();
        if (state === "ready" && pid !== undefined) process.kill(pid, "SIGKILL");
        return undefined;
      }
    });
    await until("it is ready", () => (test.engine.status().state === "ready" ? true : undefined));
    await until("it answers", async () => {
      try {
        return (await test.ask({ query: "SELECT 1", signal: AbortSignal.timeout(1_000) })).text === "1\n"
          ? true
          : undefined;
      } catch {
        // The thief takes the connection and never answers; the engine may still be on its way.
        return undefined;
      }
    });
  });
});

describe("a frozen engine", () => {
  it("is killed and replaced", async () => {
    const test = await start({ silenceMs: 600 });
    const pid = test.engine.status().pid ?? 0;
    process.kill(pid, "SIGSTOP");
    await until("another one is ready", () => {
      const status = test.engine.status();
      return status.pid !== pid && status.state === "ready" ? true : undefined;
    });
    assert.equal((await test.ask({ query: "SELECT 1" })).text, "1\n");
    assert.ok(!isAlive(pid));
  });
});

describe("stop", () => {
  it("lets a running query finish, then leaves no process", async () => {
    const test = await start();
    const pid = test.engine.status().pid ?? 0;
    const query = test.ask({
      body: "SELECT /*last*/ sum(sleepEachRow(0.1)) FROM numbers(5) SETTINGS max_block_size = 1",
    });
    await until("it runs", async () => {
      const { text } = await test.ask({
        body: "SELECT count() FROM system.processes WHERE query LIKE '%/*last*/%sleep%'",
      });
      return Number(text) > 1 ? true : undefined;
    });
    await test.engine.stop();
    assert.equal((await query).text, "0\n");
    assert.ok(!isAlive(pid));
    assert.equal(test.engine.status().state, "stopped");
  });
});

async function startHost(dir: string): Promise<{ host: ChildProcess; said: Record<string, string> }> {
  const host = spawn(process.execPath, [HOST, dir], { stdio: ["ignore", "pipe", "inherit"] });
  cleanups.push(() => void host.kill("SIGKILL"));
  assert.ok(host.stdout !== null);
  const [line] = await once(createInterface({ input: host.stdout }), "line");
  return { host, said: JSON.parse(String(line)) };
}

describe("kill -9 of the service", () => {
  it("takes the engine along, and the next one starts at once on the same directory", async () => {
    const dir = temporaryDir();
    cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
    const { host, said } = await startHost(dir);
    const pid = Number(said.pid);
    assert.ok(isAlive(pid));
    host.kill("SIGKILL");
    await until("the engine is gone", () => (isAlive(pid) ? undefined : true), 5_000);
    const test = await start({ dir });
    assert.equal((await test.ask({ query: "SELECT 1" })).text, "1\n");
  });
});

describe("a start that cannot work says so in one line and damages nothing", () => {
  it("a second service on the same directory", async () => {
    const test = await start();
    await test.ask({ body: "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a" });
    const { said } = await startHost(test.dir);
    assert.equal(
      said.failed,
      `the analytics engine did not start: the engine directory ${test.dir} is in use by another process`,
    );
    assert.equal((await test.ask({ body: "EXISTS TABLE t" })).text, "1\n");
  });

  it("a file where the directory should be", async () => {
    const dir = temporaryDir();
    cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
    const file = join(dir, "file");
    writeFileSync(file, "precious");
    await assert.rejects(startEmbeddedEngine({ dir: file, log: collectLog() }), {
      message: /^the analytics engine did not start: cannot use the engine directory .*file: .*$/,
    });
  });

  it("a damaged store", async () => {
    const test = await start();
    const { dir } = test;
    await test.ask({ body: "CREATE DATABASE d" });
    await test.engine.stop();
    const metadata = join(dir, "store", "metadata");
    mkdirSync(metadata, { recursive: true });
    writeFileSync(join(metadata, "d.sql"), "this is no SQL");
    const before = readdirSync(metadata);
    const log = collectLog();
    await assert.rejects(startEmbeddedEngine({ dir, log }), (cause: Error) => {
      assert.match(cause.message, /^the analytics engine did not start.*/);
      assert.ok(!cause.message.includes("\n") && cause.message.includes(dir), cause.message);
      return true;
    });
    assert.deepEqual(readdirSync(metadata), before);
  });
});
