import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../lib/time.ts";
import { findClockProblem, LONGEST_GAP_MS } from "./retention-clock.ts";

const NOW = Date.UTC(2026, 10, 16);
const IN_2038 = Date.UTC(2038, 0, 19);

describe("the clock that retention goes by", () => {
  it("is trusted within three days of the last run, and where there was none", () => {
    assert.equal(findClockProblem({ nowMs: NOW, lastRunMs: NOW - LONGEST_GAP_MS, otherMs: [] }), undefined);
    assert.equal(findClockProblem({ nowMs: NOW, lastRunMs: undefined, otherMs: [] }), undefined);
  });

  it("is not trusted days beyond the last run", () => {
    assert.match(
      findClockProblem({ nowMs: IN_2038, lastRunMs: NOW, otherMs: [] }) ?? "",
      /^the clock is 40\d\d days past/,
    );
    assert.notEqual(findClockProblem({ nowMs: NOW, lastRunMs: NOW - 4 * DAY_MS, otherMs: [] }), undefined);
  });

  it("is confirmed or contradicted by the clock of a store on another machine", () => {
    assert.equal(findClockProblem({ nowMs: NOW, lastRunMs: NOW - 40 * DAY_MS, otherMs: [NOW + 5_000] }), undefined);
    assert.match(findClockProblem({ nowMs: IN_2038, lastRunMs: IN_2038, otherMs: [NOW] }) ?? "", /differ/);
  });

  it("is not trusted days before the last run, so that a run at a wrong time is not recorded as the last one", () => {
    assert.equal(findClockProblem({ nowMs: NOW - LONGEST_GAP_MS, lastRunMs: NOW, otherMs: [] }), undefined);
    assert.match(
      findClockProblem({ nowMs: NOW - 30 * DAY_MS, lastRunMs: NOW, otherMs: [] }) ?? "",
      /^the clock is 30 days before the last run/,
    );
  });
});
