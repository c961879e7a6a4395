import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { CheckResult } from "../../src/doctor/check.ts";
import { checkReady } from "../../src/doctor/machine.ts";
import { examine } from "../../src/doctor/run.ts";
import { checkClock } from "../../src/doctor/stores.ts";
import { readConfig } from "../../src/installation/config.ts";
import { createInstallation } from "../../src/installation/installation.ts";
import { startClickhouseEngine } from "../support/clickhouse-engine.ts";
import { whyNoClickHouse } from "../support/platform.ts";
import { startProcess } from "../support/process.ts";
import { MAIN, makeDataDir, serviceEnv, startService } from "../support/service.ts";

const look = (env: Record<string, string>) => examine(async () => createInstallation(readConfig(env)));
const bad = (results: readonly CheckResult[]) =>
  results.filter(({ status }) => status === "warn" || status === "fail").map(({ status, name }) => `${status} ${name}`);

describe("sextant doctor", () => {
  test("finds no problem with a running or a stopped service, and finds each thing that is broken", async (t) => {
    const { dir, remove } = makeDataDir();
    t.after(remove);
    // Its public address leads somewhere else: the doctor asks the service itself.
    const elsewhere = { SEXTANT_PUBLIC_API_URL: "http://127.0.0.1:1" };
    const service = await startService(dir, elsewhere);
    t.after(() => service.kill("SIGKILL"));
    const up = await look(serviceEnv(dir, elsewhere));
    assert.deepEqual(bad(up), []);
    for (const name of [
      "settings",
      "disk space",
      "service",
      "control store",
      "secret",
      "analytics engine",
      "event log",
    ])
      assert.ok(
        up.some((one) => one.name === name),
        name,
      );
    assert.equal(up.find(({ name }) => name === "service")?.message, `is ready according to ${service.opsUrl}/readyz`);
    const told = (results: readonly CheckResult[], wanted: string) =>
      results.find(({ name }) => name === wanted)?.message ?? "";
    assert.match(told(up, "analytics engine"), /^DuckDB v?\d+\.\d+\.\d+, schema (\d+) of \1$/);
    await service.kill("SIGTERM");
    const down = await look(serviceEnv(dir));
    assert.deepEqual(bad(down), []);
    for (const name of ["analytics engine", "event log"]) assert.equal(told(down, name), told(up, name), name);
    writeFileSync(join(dir, "restore-unfinished"), "");
    assert.deepEqual(bad(await look(serviceEnv(dir))), ["fail data directory"]);
    rmSync(join(dir, "restore-unfinished"));

    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    t.after(() => holder.close());
    const { port } = holder.address() as { port: number };
    assert.deepEqual(bad(await look(serviceEnv(dir, { SEXTANT_API_PORT: String(port) }))), [`fail port ${port}`]);
    const absent = serviceEnv(dir, { SEXTANT_CLICKHOUSE_URL: "http://u:hunter2@127.0.0.1:1" });
    assert.deepEqual(bad(await look(absent)), ["fail analytics engine"]);
    assert.doesNotMatch(JSON.stringify(await look(absent)), /hunter2/);
    chmodSync(join(dir, "secret"), 0o644);
    assert.deepEqual(bad(await look(serviceEnv(dir))), ["warn data directory"]);
    writeFileSync(join(dir, "secret"), `${Buffer.alloc(32, 9).toString("base64url")}\n`, { mode: 0o600 });
    assert.ok(bad(await look(serviceEnv(dir))).includes("fail secret"));
    rmSync(join(dir, "secret"));
    const lost = startProcess([MAIN, "doctor", "--json"], serviceEnv(dir));
    assert.equal(await lost.exited, 1);
    const printed = JSON.parse(lost.stdout()) as CheckResult[];
    assert.deepEqual(bad(printed), ["fail secret"]);
    assert.match(printed.find(({ status }) => status === "fail")?.advice ?? "", /put back/);
  });

  test("finds no problem with a used or empty ClickHouse, and reports an unknown cluster", {
    skip: whyNoClickHouse() ?? false,
  }, async (t) => {
    const [{ dir, remove }, clickhouse] = [makeDataDir(), await startClickhouseEngine()];
    t.after(async () => {
      await clickhouse.stop();
      remove();
    });
    mkdirSync(dir, { mode: 0o700 });
    const used = await look(serviceEnv(dir, { SEXTANT_CLICKHOUSE_URL: clickhouse.url }));
    assert.deepEqual(bad(used), []);
    assert.ok(used.some(({ name }) => name === "engine's clock"));
    const cluster = { SEXTANT_CLICKHOUSE_URL: clickhouse.url, SEXTANT_CLICKHOUSE_CLUSTER: "other" };
    assert.deepEqual(bad(await look(serviceEnv(dir, cluster))), ["fail analytics engine"]);
    const nobodys = new URL(clickhouse.url);
    nobodys.pathname = "nobodys";
    const empty = await look(serviceEnv(dir, { SEXTANT_CLICKHOUSE_URL: nobodys.href }));
    assert.deepEqual(bad(empty), []);
    assert.match(empty.find(({ name }) => name === "analytics engine")?.message ?? "", /empty: the first start/);
  });

  test("a wrong setting is a failure with its own line, and missing data is not a failure", async (t) => {
    const { dir, remove } = makeDataDir();
    t.after(remove);
    assert.deepEqual(bad(await look({ SEXTANT_API_PROT: "1" })), ["fail settings"]);
    assert.deepEqual(bad(await look(serviceEnv(dir))), ["warn data directory"]);
    assert.deepEqual(bad(await look(serviceEnv(dir, { SEXTANT_OPS_HOST: "0.0.0.0" }))), [
      "warn settings",
      "warn data directory",
    ]);
  });

  const answers: [string, number, object, status: string, message: RegExp][] = [
    ["ready", 200, { checks: { "event log": "ok" } }, "ok", /is ready/],
    [
      "ready without its engine",
      200,
      { checks: { "analytics engine": "unavailable" } },
      "warn",
      /analytics engine: unavailable/,
    ],
    ["not ready", 503, { error: { message: "Not ready: event log (broken)" } }, "fail", /event log \(broken\)/],
  ];
  for (const [what, code, body, status, message] of answers) {
    test(`a service that reports ${what} is ${status}`, async (t) => {
      const server = createHttpServer((_, response) => response.writeHead(code).end(JSON.stringify(body)));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      t.after(() => server.close());
      const [result] = await checkReady(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      assert.equal(result?.status, status);
      assert.match(result?.message ?? "", message);
    });
  }

  test("a data directory that is not writable is a failure, also one of its subdirectories", (t) => {
    const root = mkdtempSync(join(tmpdir(), "data-"));
    t.after(() => rmSync(root, { recursive: true, force: true }));
    const [dir, log] = [join(root, "data"), join(root, "data", "log")];
    mkdirSync(log, { recursive: true });
    // Root may write everything, so the check runs as another user.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    for (const path of [root, dir, log]) {
      if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
      chmodSync(path, 0o700);
    }
    const machine = new URL("../../src/doctor/machine.ts", import.meta.url);
    const places = new URL("../../src/installation/data-dir.ts", import.meta.url);
    const script = `
      const { checkDataDir } = await import("${machine.href}");
      const { dataPaths } = await import("${places.href}");
      console.log(JSON.stringify(checkDataDir(dataPaths(${JSON.stringify(dir)}))));`;
    const ask = () => {
      const done = spawnSync(process.execPath, ["--input-type=module", "-e", script], { ...user, encoding: "utf8" });
      assert.equal(done.status, 0, done.stderr);
      return bad(JSON.parse(done.stdout) as CheckResult[]);
    };
    assert.deepEqual(ask(), []);
    chmodSync(log, 0o500);
    assert.deepEqual(ask(), ["fail data directory"]);
    chmodSync(log, 0o700);
    chmodSync(dir, 0o500);
    assert.deepEqual(ask(), ["fail data directory"]);
  });

  const clocks: [offMs: number, status: string][] = [
    [0, "ok"],
    [-3_000, "warn"],
    [3_000, "warn"],
    [60_000, "fail"],
  ];
  for (const [offMs, status] of clocks) {
    test(`a store's clock that is ${offMs / 1000} s off is ${status}`, async () => {
      const [result] = await checkClock("clock", async () => Date.now() + offMs);
      assert.equal(result?.status, status);
    });
  }
});
