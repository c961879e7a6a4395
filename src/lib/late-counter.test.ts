import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Registry } from "prom-client";
import { createLateCounter } from "./late-counter.ts";

describe("a late counter", () => {
  test("tells every amount once, whenever the metrics are read", async () => {
    const registry = new Registry();
    const counter = createLateCounter({ name: "n", help: "h", labelNames: ["of"], registers: [registry] });
    const find = async (of: string) =>
      new RegExp(`^n\\{of="${of}"\\} (\\d+)$`, "m").exec(await registry.metrics())?.[1];
    const [a, b] = [counter.adder({ of: "a" }), counter.adder({ of: "b" })];
    assert.equal(await find("a"), undefined, "what has not happened is not there");
    a(2);
    a(3);
    counter.inc({ of: "a" });
    assert.equal(await find("a"), "6");
    b(1);
    a(1);
    assert.deepEqual([await find("a"), await find("b")], ["7", "1"]);
  });
});
