/** The border between the service and the engine's process. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LocalEngine } from "../../../src/engines/duckdb/engine.ts";
import { connectDuckdb } from "../../../src/engines/duckdb/process/client.ts";
import { listen } from "../../../src/engines/duckdb/process/server.ts";
import { METHODS, type MethodGroup } from "../../../src/engines/port.ts";
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
