import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connectDuckdb } from "../../src/engines/duckdb/process/client.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { startTestEngine, type TestEngine } from "../support/engine.ts";
import { createProxy } from "../support/tcp-proxy.ts";
import { waitFor } from "../support/wait.ts";
import { selectNumber } from "../support/warehouse.ts";
import { startNode } from "../support/writer-node.ts";

describe("the writer with a real engine", () => {
  let host: TestEngine;
  let engine: AnalyticsEngine;
  before(async () => {
    host = await startTestEngine();
    engine = host.engine;
  });
  after(() => host.stop());
  const stored = (project: string) =>
    selectNumber(engine, `SELECT count(*) AS n FROM events WHERE project_id = '${project}'`);

  test("it drains the log, waits for an unavailable engine, and stores new events at once", async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "writer-"));
    const wire = await createProxy("127.0.0.1", Number(new URL(host.supervisor.url()).port));
    t.after(wire.close);
    const client = connectDuckdb({ url: () => `http://127.0.0.1:${wire.port}`, token: host.supervisor.token });
    t.after(() => client.close());
    let retries = 0;
    const observe = {
      retried() {
        retries += 1;
      },
    };
    const node = await startNode(dir, client, { observe, segmentBytes: 16 * 1024 });
    t.after(async () => {
      await node.stop();
      rmSync(dir, { recursive: true });
    });
    wire.cut();
    await Promise.all(Array.from({ length: 300 }, (_, i) => node.append("drain", [`d-${i}`])));
    await waitFor("a few tries", () => retries >= 3);
    assert.equal(await stored("drain"), 0);
    assert.ok(node.log.stats().segments > 1);
    wire.mend();
    await waitFor("the log to drain", async () => (await stored("drain")) === 300);
    await node.append("drain", ["d-last"]);
    await waitFor("the last one", async () => (await stored("drain")) === 301, 8_000);
    await waitFor("the log to be released", () => node.log.stats().segments === 1);
  });
});
