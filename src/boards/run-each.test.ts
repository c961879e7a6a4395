import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ChartAnswer } from "./answer.ts";
import type { Chart } from "./chart.ts";
import { runEach } from "./run-each.ts";

const chartsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `c${n}` }) as Chart);
const answerOf = (chars: number) => ({ text: "x".repeat(chars) }) as ChartAnswer;

describe("running the charts of a board", () => {
  test("answers have at most the size of a page: the others are told so, and a smaller one still fits", async () => {
    const sizes = [40, 70, 60, 10, 51, 1];
    const { answers, failed } = await runEach(
      chartsOf(6),
      async ({ id }) => answerOf(sizes[Number(id.slice(1))] ?? 0),
      () => "failed",
      100,
    );
    assert.deepEqual([...answers.keys()], ["c0", "c2"]);
    assert.deepEqual(
      failed.map(({ chartId }) => chartId),
      ["c1", "c3", "c4", "c5"],
    );
    assert.match(failed[0]?.error ?? "", /at most 100 characters: ask this chart by itself/);
  });

  test("one failing chart is told, and the others answer; what is about no chart ends all", async () => {
    const isOdd = ({ id }: Chart) => Number(id.slice(1)) % 2 === 1;
    const run = async (chart: Chart) => {
      if (isOdd(chart)) throw new Error("odd");
      return answerOf(1);
    };
    const told = await runEach(chartsOf(5), run, () => "cannot");
    assert.deepEqual([...told.answers.keys()], ["c0", "c2", "c4"]);
    assert.deepEqual(told.failed, [
      { chartId: "c1", error: "cannot" },
      { chartId: "c3", error: "cannot" },
    ]);
    await assert.rejects(
      runEach(chartsOf(5), run, () => undefined),
      /odd/,
    );
  });
});
