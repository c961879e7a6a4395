import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startPreviewDeadline } from "./preview-deadline.ts";

const LIMITS = { mostMs: 5_000, firstMs: 12_000 };

describe("the deadline of a preview", () => {
  test("is after 5 s when something of the file has come", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const deadline = startPreviewDeadline(LIMITS);
    t.mock.timers.tick(1_000);
    deadline.came();
    t.mock.timers.tick(3_999);
    assert.equal(deadline.signal.aborted, false);
    t.mock.timers.tick(1);
    assert.equal(deadline.signal.aborted, true);
  });

  test("is later until something comes, and then at once", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const deadline = startPreviewDeadline(LIMITS);
    t.mock.timers.tick(11_999);
    assert.equal(deadline.signal.aborted, false);
    deadline.came();
    assert.equal(deadline.signal.aborted, true);
  });

  test("is after 12 s when nothing has come, unless the preview has ended before", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const [deadline, ended] = [startPreviewDeadline(LIMITS), startPreviewDeadline(LIMITS)];
    ended.end();
    t.mock.timers.tick(12_000);
    assert.deepEqual([deadline.signal.aborted, ended.signal.aborted], [true, false]);
  });
});
