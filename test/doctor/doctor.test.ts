import assert from "node:assert/strict";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { readConfig } from "../../src/config.ts";
import type { CheckResult } from "../../src/doctor/check.ts";
import { checkClock } from "../../src/doctor/stores.ts";
import { examine } from "../../src/open-doctor.ts";
import { startProcess } from "../support/process.ts";
import { MAIN, makeDataDir, serviceEnv, startService } from "../support/service.ts";

const look = (env: Record<string, string>) => examine(() => readConfig(env));
const bad = (results: readonly CheckResult[]) =>
  results.filter(({ status }) => status !== "ok").map(({ status, name }) => `${status} ${name}`);

describe("sextant doctor", () => {
  test("finds nothing wrong while the service runs nor when it is down, and then each thing that is broken", async (t) => {
    const { dir, remove } = makeDataDir();
    t.after(remove);
    const service = await startService(dir);
    t.after(() => service.kill("SIGKILL"));
    const up = await look(serviceEnv(dir));
    assert.deepEqual(bad(up), []);
    for (const name of [
      "settings",
      "disk space",
      "service",
      "control store",
      "secret",
      "analytics engine",
      "engine's clock",
    ])
      assert.ok(
        up.some((one) => one.name === name),
        name,
      );
    await service.kill("SIGTERM");
    assert.deepEqual(bad(await look(serviceEnv(dir))), []);

    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    t.after(() => holder.close());
    const { port } = holder.address() as { port: number };
    assert.deepEqual(bad(await look(serviceEnv(dir, { SEXTANT_API_PORT: String(port) }))), [`fail port ${port}`]);
    const absent = serviceEnv(dir, { SEXTANT_CLICKHOUSE_URL: "http://u:hunter2@127.0.0.1:1" });
    assert.deepEqual(bad(await look(absent)), ["fail analytics engine", "fail engine's clock"]);
    assert.doesNotMatch(JSON.stringify(await look(absent)), /hunter2/);
    chmodSync(join(dir, "secret"), 0o644);
    assert.deepEqual(bad(await look(serviceEnv(dir))), ["warn data directory"]);
    writeFileSync(join(dir, "secret"), `${Buffer.alloc(32, 9).toString("base64url")}\n`, { mode: 0o600 });
    assert.ok(bad(await look(serviceEnv(dir))).includes("fail secret"));
    rmSync(join(dir, "secret"));
    const lost = startProcess([MAIN, "doctor", "--json"], serviceEnv(dir));
    assert.equal(await lost.exited, 1);
    const told = JSON.parse(lost.stdout()) as CheckResult[];
    assert.deepEqual(bad(told), ["fail secret"]);
    assert.match(told.find(({ status }) => status === "fail")?.advice ?? "", /put back/);
  });

  test("a setting that is wrong is a failure with its line, and no data is no failure", async (t) => {
    const { dir, remove } = makeDataDir();
    t.after(remove);
    assert.deepEqual(bad(await look({ SEXTANT_API_PROT: "1" })), ["fail settings"]);
    assert.deepEqual(bad(await look(serviceEnv(dir))), ["warn data directory"]);
    assert.deepEqual(bad(await look(serviceEnv(dir, { SEXTANT_OPS_HOST: "0.0.0.0" }))), [
      "warn settings",
      "warn data directory",
    ]);
  });

  const clocks: [offMs: number, status: string][] = [
    [0, "ok"],
    [-3_000, "warn"],
    [3_000, "warn"],
    [60_000, "fail"],
  ];
  for (const [offMs, status] of clocks) {
    test(`a store's clock that is ${offMs / 1000} s off: ${status}`, async () => {
      const [result] = await checkClock("clock", async () => Date.now() + offMs);
      assert.equal(result?.status, status);
    });
  }
});
