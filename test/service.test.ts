import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readConfig } from "../src/installation/config.ts";
import { openControl } from "../src/installation/control-store.ts";
import { dataPaths, prepareDataDir } from "../src/installation/data-dir.ts";
import { inSomeRound, sampled } from "../src/lib/testing.ts";
import { startClickHouse } from "./support/clickhouse.ts";
import { quietLog } from "./support/control.ts";
import { expectError } from "./support/envelope.ts";
import { sampleEvent } from "./support/events.ts";
import { readMetrics } from "./support/metrics.ts";
import { whyNoClickHouse, whyNoProc } from "./support/platform.ts";
import { ENGINE_CHILD, findChild, isRunning, startProcess } from "./support/process.ts";
import {
  MAIN,
  MALLOC,
  makeDataDir,
  NODE_OPTIONS,
  readCredentials,
  serviceEnv,
  startService,
  type TestService,
} from "./support/service.ts";
import { createProxy } from "./support/tcp-proxy.ts";
import { waitFor } from "./support/wait.ts";

/** Starts the service where it must fail: returns the exit code and the output. */
async function refusedStart(
  dataDir: string,
  changes: Record<string, string> = {},
): Promise<{ code: number | string; stderr: string }> {
  const running = startProcess([MAIN, "serve"], serviceEnv(dataDir, changes));
  return { code: await running.exited, stderr: running.stderr() };
}

function postEvent(eventsUrl: string, writeKey: string, more: Record<string, string> = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${writeKey}`, "content-type": "application/json", ...more };
  return fetch(`${eventsUrl}/v0/events`, { method: "POST", headers, body: JSON.stringify(sampleEvent("one")) });
}

/** A service that cannot reach its ClickHouse and has accepted an event. */
async function startIngestNode(dataDir: string, clickhouseUrl: string): Promise<TestService> {
  const service = await startService(dataDir, { SEXTANT_ROLES: "ingest", SEXTANT_CLICKHOUSE_URL: clickhouseUrl });
  const ready = await fetch(`${service.opsUrl}/readyz`);
  assert.equal(ready.status, 200);
  const { checks } = (await ready.json()) as { checks: Record<string, string> };
  assert.deepEqual([checks["event log"], checks["analytics engine"]], ["ok", "does not answer"]);
  assert.equal((await postEvent(service.eventsUrl, readCredentials(dataDir).writeKey)).status, 200);
  return service;
}

function damageWarehouse(dataDir: string): void {
  mkdirSync(join(dataDir, "duckdb"));
  writeFileSync(join(dataDir, "duckdb", "warehouse.duckdb"), "garbage ".repeat(10_000));
}

function oneLine(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.startsWith("sextant: "));
  assert.equal(lines.length, 1, stderr);
  assert.doesNotMatch(stderr, /^\s+at /m, "no stack");
  return lines[0] ?? "";
}

describe("the service as npm start runs it", () => {
  const first = makeDataDir();
  after(first.remove);

  test("gets the same Node options and settings of malloc from npm, the command and the image", () => {
    const read = (name: string) => readFileSync(join(import.meta.dirname, "..", name), "utf8");
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const quoted = NODE_OPTIONS.map((option) => JSON.stringify(option)).join(", ");
    const malloc = Object.entries(MALLOC).map(([name, value]) => `${name}=${value}`);
    assert.equal(scripts.start, `exec env ${malloc.join(" ")} node ${NODE_OPTIONS.join(" ")} src/main.ts serve`);
    assert.ok(read("bin/sextant.js").includes(`const options = [${quoted}];`));
    const inCommand = Object.entries(MALLOC).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    assert.ok(read("bin/sextant.js").includes(`const malloc = { ${inCommand.join(", ")} };`));
    assert.ok(read("Dockerfile").includes(`ENV ${malloc.join(" ")}`));
    assert.ok(read("Dockerfile").includes(`"node", ${quoted}, "/app/src/main.ts"`));
  });

  // The next test reuses this directory, because a first start takes two seconds of CPU.
  test("each port in use is one line, and the start ends", async (t) => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    t.after(() => holder.close());
    const { port } = holder.address() as { port: number };
    const taken = { SEXTANT_API_PORT: String(port), SEXTANT_EVENTS_PORT: String(port) };
    const { code, stderr } = await refusedStart(first.dir, taken);
    assert.equal(code, 1);
    const line = (setting: string) =>
      `sextant: port ${port} on 127.0.0.1 is taken: stop that process, or set ${setting}`;
    assert.equal(stderr, `${Object.keys(taken).map(line).join("\n")}\n`);
  });

  test("prints URLs and a working curl command, no key without a terminal; only the owner reads keys", async (t) => {
    const { dir } = first;
    const service = await startService(dir);
    t.after(() => service.kill("SIGKILL"));
    const keys = readCredentials(dir);
    assert.equal(statSync(join(dir, "credentials.json")).mode & 0o777, 0o600);
    assert.equal(statSync(dir).mode & 0o777, 0o700);
    assert.deepEqual(
      { apiUrl: keys.apiUrl, eventsUrl: keys.eventsUrl },
      { apiUrl: service.apiUrl, eventsUrl: service.eventsUrl },
    );
    const [, url = "", header = ""] = /curl -X POST (\S+) -H "([^"]+)"/.exec(service.stdout()) ?? [];
    const [name = "", variable] = header.split(": ");
    assert.equal(variable, "$API_KEY");
    const answer = await fetch(url, { method: "POST", headers: { [name]: keys.apiKey } });
    assert.equal(answer.status, 200);
    assert.equal(
      ((await answer.json()) as { data: { workspace: { id: string } } }).data.workspace.id,
      keys.workspaceId,
    );
    assert.equal(service.stderr(), "", "the banner says all");
    const said = service.stdout() + service.stderr();
    assert.doesNotMatch(said, new RegExp(`${keys.apiKey}|${keys.writeKey}`), "what takes the output would keep them");
    assert.ok(
      service.stdout().includes(`First start: the first keys are in\n${join(dir, "credentials.json")}`),
      "the failed start has not used the first keys up",
    );

    const second = await refusedStart(dir);
    assert.equal(second.code, 1);
    assert.match(
      oneLine(second.stderr),
      new RegExp(`in use by another Sextant \\(process ${service.child.pid}, ${service.apiUrl}`),
    );

    assert.equal(await service.kill("SIGTERM"), 0);
    const again = await startService(dir);
    t.after(() => again.kill("SIGKILL"));
    assert.doesNotMatch(again.stdout(), /First start/);
    const still = await fetch(`${again.apiUrl}/api/validate-api-key`, {
      method: "POST",
      headers: { "x-api-key": keys.apiKey },
    });
    assert.equal(still.status, 200);
    assert.equal(await again.kill("SIGINT"), 0);
    assert.ok(!existsSync(join(dir, "running.json")));
  });

  test("an ingest node starts while ClickHouse is unavailable, is ready and accepts events", async (t) => {
    const { dir, remove } = makeDataDir();
    t.after(remove);
    const service = await startIngestNode(dir, "http://u:p@127.0.0.1:1/sextant");
    t.after(() => service.kill("SIGKILL"));
    assert.equal(await service.kill("SIGTERM"), 0);
  });

  test("an ingest node stores its events when ClickHouse is back", { skip: whyNoClickHouse() ?? false }, async (t) => {
    const clickhouse = await startClickHouse();
    t.after(() => clickhouse.stop());
    const at = new URL(clickhouse.url);
    const wire = await createProxy(at.hostname, Number(at.port));
    t.after(wire.close);
    wire.cut();
    const { dir, remove } = makeDataDir();
    t.after(remove);
    const { username, password, database } = clickhouse;
    const service = await startIngestNode(dir, `http://${username}:${password}@127.0.0.1:${wire.port}/${database}`);
    t.after(() => service.kill("SIGKILL"));
    wire.mend();
    const metric = async () => (await readMetrics(service.opsUrl))("sextant_events_stored_total");
    await waitFor("the event in the warehouse", async () => (await metric()) === 1, 60_000);
  });

  test("runs on PostgreSQL and refuses another secret; events and metrics work while it is unavailable", async (t) => {
    const { createDatabase } = await import("./support/postgres.ts");
    const database = await createDatabase();
    const one = makeDataDir();
    const two = makeDataDir();
    const wired = new URL(database.url);
    const wire = await createProxy(wired.hostname, Number(wired.port));
    wired.port = String(wire.port);
    const service = await startService(one.dir, { SEXTANT_DATABASE_URL: wired.href });
    t.after(async () => {
      await service.kill("SIGTERM");
      await wire.close();
      one.remove();
      two.remove();
      await database.drop();
    });
    const { apiKey, writeKey } = readCredentials(one.dir);
    const call = await fetch(`${service.apiUrl}/api/validate-api-key`, {
      method: "POST",
      headers: { "x-api-key": apiKey },
    });
    assert.equal(call.status, 200);
    const stranger = await refusedStart(two.dir, { SEXTANT_DATABASE_URL: database.url });
    assert.equal(stranger.code, 1);
    assert.match(oneLine(stranger.stderr), /SEXTANT_SECRET/);

    const age = async () =>
      (await (await fetch(`${service.opsUrl}/metrics`)).text()).match(/^sextant_webhook_queue_age_seconds \S+$/m);
    assert.ok(await age());
    wire.cut();
    await waitFor("readyz to notice", async () => (await fetch(`${service.opsUrl}/readyz`)).status === 503);
    assert.equal((await fetch(`${service.opsUrl}/readyz?role=ingest`)).status, 200);
    assert.equal((await postEvent(service.eventsUrl, writeKey)).status, 200);
    const keyed = await postEvent(service.eventsUrl, writeKey, { "Idempotency-Key": "one" });
    assert.equal(keyed.status, 503, "its key is kept in PostgreSQL");
    const metrics = await fetch(`${service.opsUrl}/metrics`);
    assert.equal(metrics.status, 200);
    const told = await metrics.text();
    assert.match(told, /^sextant_log_ok 1$/m);
    assert.doesNotMatch(told, /^sextant_webhook_queue_age_seconds \S+$/m, "nobody knows it");
    wire.mend();
    await waitFor("the age to be told again", age);
  });
});

/** In sequence on the same data, because a start takes two seconds of CPU. The last test ends the service. */
describe("a service that runs", () => {
  const { dir, remove } = makeDataDir();
  const preset = {
    SEXTANT_BOOTSTRAP_API_KEY: "formo_live_0123456789abcdef",
    SEXTANT_BOOTSTRAP_WRITE_KEY: "write_0123456789abcdef",
  };
  const start = () =>
    startService(dir, { ...preset, SEXTANT_API_RATE_PER_SECOND: "100000", SEXTANT_API_RATE_BURST: "100000" });
  let service: TestService;
  let startMs: number;
  before(async () => {
    const startedAt = performance.now();
    service = await start();
    startMs = performance.now() - startedAt;
  });
  after(async () => {
    await service.kill("SIGKILL");
    remove();
  });

  test("preset keys are used on the first start", async () => {
    const headers = { "x-api-key": preset.SEXTANT_BOOTSTRAP_API_KEY };
    assert.equal((await fetch(`${service.apiUrl}/api/validate-api-key`, { method: "POST", headers })).status, 200);
    assert.equal(readCredentials(dir).writeKey, preset.SEXTANT_BOOTSTRAP_WRITE_KEY);
  });

  test("kill -9 of the engine child: the API stays up, readyz reports it, and it is back within 5 s", async () => {
    const ready = async () => (await fetch(`${service.opsUrl}/readyz`)).status === 200;
    await waitFor("the service to be ready", ready);
    const stopped: string[] = [];
    const askAll = async () => {
      const [asked, ...ofRoles] = await Promise.all(
        ["", "?role=ingest", "?role=api"].map((query) => fetch(`${service.opsUrl}/readyz${query}`)),
      );
      for (const { status, url } of ofRoles) if (status !== 200) stopped.push(`${url}: ${status}`);
      return asked?.status === 503 && asked;
    };
    let answer: Response | undefined;
    // On a busy machine the next engine may be ready before anybody has asked.
    await inSomeRound(3, async () => {
      process.kill(findChild(service.child.pid ?? 0, ENGINE_CHILD), "SIGKILL");
      answer = await waitFor("readyz to notice", askAll, 2_000);
    });
    assert.ok(answer);
    assert.deepEqual(stopped, [], "events and forms go on");
    const error = await expectError(answer, "plain", 503, "SERVICE_UNAVAILABLE");
    assert.notEqual(error.details?.["analytics engine"], "ok");
    assert.equal(error.details?.["control store"], "ok");
    const call = await fetch(`${service.apiUrl}/api/validate-api-key`, {
      method: "POST",
      headers: { "x-api-key": preset.SEXTANT_BOOTSTRAP_API_KEY },
    });
    assert.equal(call.status, 200);
    // A busy machine takes longer for any start; on others the whole service starts in less than half of the 5 s.
    await waitFor("the engine to be back", ready, Math.max(5_000, 2 * startMs));
    assert.equal((await fetch(`${service.opsUrl}/healthz`)).status, 200);
  });

  test("kill -9 of the service takes the engine child with it, and the next start works at once", async () => {
    const enginePid = findChild(service.child.pid ?? 0, ENGINE_CHILD);
    await service.kill("SIGKILL");
    await waitFor("the engine child to end", () => !isRunning(enginePid));
    service = await start();
    await waitFor("the service to be ready", async () => (await fetch(`${service.opsUrl}/readyz`)).status === 200);
  });

  test("SIGTERM under load: every request that was sent is answered, and the process ends by itself", async () => {
    const headers = { "x-api-key": preset.SEXTANT_BOOTSTRAP_API_KEY };
    const wrong: string[] = [];
    let answered = 0;
    const clients = Array.from({ length: 10 }, async () => {
      let sentAt = performance.now();
      let isNewConnection = true;
      for (;;) {
        const sinceLastMs = performance.now() - sentAt;
        sentAt = performance.now();
        try {
          const answer = await fetch(`${service.apiUrl}/api/validate-api-key`, { method: "POST", headers });
          await answer.arrayBuffer();
          if (answer.status !== 200) wrong.push(String(answer.status));
          isNewConnection = answer.headers.get("connection") === "close";
          answered += 1;
        } catch (cause) {
          const code = String(((cause as Error).cause as { code?: string } | undefined)?.code);
          // Connection refused: the client knows that nothing was sent. The system resets a new connection that the
          // service had not accepted yet when it stopped listening. And a service that stops closes idle connections
          // after a second: a client that got no processor for so long may have sent on one of them.
          const isRefused = code === "ECONNREFUSED" || (code === "ECONNRESET" && isNewConnection);
          if (!isRefused && sinceLastMs < 900) wrong.push(`${code} after ${Math.round(sinceLastMs)} ms`);
          return;
        }
      }
    });
    await waitFor("the load", () => answered > 200);
    const stoppedAt = performance.now();
    assert.equal(await service.kill("SIGTERM"), 0);
    assert.ok(performance.now() - stoppedAt < 10_000);
    await Promise.all(clients);
    assert.deepEqual(wrong, []);
  });
});

describe("a start that cannot work prints the reason in one line, exits with 1 and changes nothing", () => {
  const table: [string, Record<string, string>, RegExp][] = [
    [
      "an unknown setting",
      { SEXTANT_API_PROT: "1" },
      /SEXTANT_API_PROT is not a setting; did you mean SEXTANT_API_PORT/,
    ],
    ["a malformed setting", { SEXTANT_QUERY_TIMEOUT_MS: "soon" }, /SEXTANT_QUERY_TIMEOUT_MS must be a whole number/],
    [
      "a PostgreSQL that is not there",
      { SEXTANT_DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/d" },
      /cannot reach PostgreSQL at postgres:\/\/127\.0\.0\.1:1\/d: .*ECONNREFUSED/,
    ],
    [
      "a ClickHouse that is not there",
      { SEXTANT_CLICKHOUSE_URL: "http://u:hunter2@127.0.0.1:1" },
      /cannot use ClickHouse at 127\.0\.0\.1:1: .*ECONNREFUSED/,
    ],
    [
      "a bootstrap key that is damaged",
      { SEXTANT_BOOTSTRAP_API_KEY: "sxt_0123456789abcdef" },
      /SEXTANT_BOOTSTRAP_API_KEY cannot be used/,
    ],
  ];
  for (const [what, changes, message] of sampled(table, 2)) {
    test(what, async (t) => {
      const { dir, remove } = makeDataDir();
      t.after(remove);
      const { code, stderr } = await refusedStart(dir, changes);
      assert.equal(code, 1);
      assert.match(oneLine(stderr), message);
      assert.doesNotMatch(stderr, /hunter2/);
    });
  }

  test("a data directory that no system would make, instead of trying for ever", {
    skip: whyNoProc() ?? false,
  }, async () => {
    const { code, stderr } = await refusedStart("/proc/sextant");
    assert.equal(code, 1);
    assert.match(oneLine(stderr), /cannot use the data directory \/proc\/sextant: ENOENT/);
  });

  test("a data or engine directory that is a file; a damaged control store, warehouse or secret", async (t) => {
    const cases: [string, (dir: string) => void, RegExp][] = [
      ["file", (dir) => writeFileSync(dir, "x"), /cannot use the data directory/],
      [
        "garbage",
        (dir) => writeFileSync(join(dir, "control.sqlite"), "garbage ".repeat(100)),
        /cannot open the control store .*not a database/,
      ],
      ["engine", (dir) => writeFileSync(join(dir, "duckdb"), "x"), /cannot use the engine directory .*duckdb/],
      ["warehouse", damageWarehouse, /did not start: .*warehouse\.duckdb/],
      ["secret", (dir) => writeFileSync(join(dir, "secret"), "short"), /secret .*is damaged/],
    ];
    for (const [name, damage, message] of sampled(cases, 2)) {
      const { dir, remove } = makeDataDir();
      t.after(remove);
      mkdirSync(join(dir, ".."), { recursive: true });
      if (name !== "file") mkdirSync(dir);
      damage(dir);
      const before = name === "file" ? readFileSync(dir) : undefined;
      const { code, stderr } = await refusedStart(dir);
      assert.equal(code, 1, name);
      assert.match(oneLine(stderr), message);
      if (before) assert.deepEqual(readFileSync(dir), before);
      else assert.ok(readdirSync(dir).length > 0);
    }
  });

  test("a lost secret is reported instead of making all keys invalid", async (t) => {
    const { dir, remove } = makeDataDir();
    t.after(remove);
    prepareDataDir(dataPaths(dir));
    await (await openControl(readConfig(serviceEnv(dir)), quietLog)).close();
    writeFileSync(join(dir, "secret"), `${Buffer.alloc(32, 9).toString("base64url")}\n`);
    const { code, stderr } = await refusedStart(dir);
    assert.equal(code, 1);
    assert.match(oneLine(stderr), /restore the data directory's `secret` file/);
  });
});
