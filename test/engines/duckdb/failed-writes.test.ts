import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { DuckDBDataChunk, INTEGER } from "@duckdb/node-api";
import { withAppenders } from "../../../src/engines/duckdb/append-values.ts";
import { openLocalEngine } from "../../../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../../../src/engines/duckdb/limits.ts";
import { selectNumber, startLocalEngine } from "../../support/local-engine.ts";

const whyNoLimit = existsSync("/usr/bin/prlimit")
  ? false
  : "the size of a file is limited by prlimit, which only Linux has";

describe("a write that fails", () => {
  test("stores nothing, also when its appender is garbage-collected after the rollback", async (t) => {
    const local = await startLocalEngine();
    t.after(() => local.stop());
    await local.run("CREATE TABLE one (x INTEGER); CREATE TABLE other (x INTEGER CHECK (x < 5))");
    const rowOf = (value: number) => {
      const chunk = DuckDBDataChunk.create([INTEGER], 1);
      chunk.setColumnValues(0, [value]);
      return chunk;
    };
    const fail = () =>
      local.engine.database.write((connection) =>
        withAppenders(connection, [{ table: "one" }, { table: "other" }], ([one, other]) => {
          one?.appendDataChunk(rowOf(1));
          other?.appendDataChunk(rowOf(9));
        }),
      );
    await assert.rejects(fail(), /CHECK/);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let round = 0; round < 5; round += 1) {
      collect();
      // Finalizers run in a separate turn of the event loop.
      await delay(10);
    }
    assert.equal(await selectNumber(local.engine, "SELECT count(*) AS n FROM one"), 0);
    assert.equal(await selectNumber(local.engine, "SELECT count(*) AS n FROM other"), 0);
  });

  test("because a checkpoint has no disk space ends the engine, which has all data when it is opened again", {
    skip: whyNoLimit,
  }, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "full-"));
    const script = resolve(import.meta.dirname, "../../support/full-disk-engine.ts");
    // Without the trap SIGXFSZ would end the process first.
    const command = `trap '' XFSZ; exec "${process.execPath}" "${script}" "${dir}"`;
    const ended = spawnSync("bash", ["-c", command], { encoding: "utf8" });
    assert.equal(ended.status, 9, ended.stderr);
    const engine = await openLocalEngine({
      path: join(dir, "warehouse.duckdb"),
      limits: DEFAULT_LIMITS,
      nowMs: Date.now,
    });
    t.after(async () => {
      await engine.close();
      rmSync(dir, { recursive: true });
    });
    assert.equal(await selectNumber(engine, "SELECT count(*) AS n FROM events"), 1500);
  });
});
