import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startLookTime } from "./look-time.ts";

const LIMITS = { mostMs: 5_000, firstMs: 12_000 };

describe("the time of a look at a file", () => {
  test("is over after 5 s when something of it has come", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const time = startLookTime(LIMITS);
    t.mock.timers.tick(1_000);
    time.came();
    t.mock.timers.tick(3_999);
    assert.equal(time.signal.aborted, false);
    t.mock.timers.tick(1);
    assert.equal(time.signal.aborted, true);
  });

  test("is longer until something comes, and then over at once", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const time = startLookTime(LIMITS);
    t.mock.timers.tick(11_999);
    assert.equal(time.signal.aborted, false);
    time.came();
    assert.equal(time.signal.aborted, true);
  });

  test("is over after 12 s when nothing has come, unless it has ended before", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const [time, ended] = [startLookTime(LIMITS), startLookTime(LIMITS)];
    ended.end();
    t.mock.timers.tick(12_000);
    assert.deepEqual([time.signal.aborted, ended.signal.aborted], [true, false]);
  });
});
