import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createKeptReads, type KeptLimits } from "./kept-reads.ts";
import type { AnalyticsEngine } from "./port.ts";
import type { Reads, Selected } from "./select.ts";

const SQL = "SELECT {projects:Array(String)}";
const LAST = "2026-03-10";
const ROOM: KeptLimits = { bytes: 100_000 };

/** Reads whose rows the test gives. */
function watched(limits = ROOM) {
  const runs: { signal: AbortSignal | undefined; answer: PromiseWithResolvers<Selected<unknown>> }[] = [];
  const run = ((_sql, options) => {
    const answer = Promise.withResolvers<Selected<unknown>>();
    options?.signal?.addEventListener("abort", () => answer.reject(options.signal?.reason));
    runs.push({ signal: options?.signal, answer });
    return answer.promise;
  }) as AnalyticsEngine["select"];
  const { select, changed } = createKeptReads(run, limits);
  const ask = (project: string, { signal, ...more }: { signal?: AbortSignal } & Partial<Reads> = {}) =>
    select<string>(SQL, {
      params: { projects: [project] },
      reads: { projects: [project], lastDay: LAST, ...more },
      ...(signal && { signal }),
    });
  const give = async (asked: Promise<Selected<string>>, text: string) => {
    runs.at(-1)?.answer.resolve({ rows: [text], statistics: { elapsed: 1, rows_read: 0, bytes_read: 0 } });
    return (await asked).rows[0];
  };
  return { ask, give, changed, runs, select };
}

describe("kept reads", () => {
  test("a read that runs is not run again, and its rows are kept", async () => {
    const { ask, give, runs } = watched();
    const both = [ask("p"), ask("p")];
    assert.equal(runs.length, 1);
    assert.equal(await give(ask("p"), "rows"), "rows");
    for (const { rows } of await Promise.all(both)) assert.deepEqual(rows, ["rows"]);
    const again = await ask("p");
    assert.deepEqual([again.rows, again.statistics.elapsed, runs.length], [["rows"], 0, 1]);
  });

  test("tenants that ask the same text share nothing", async () => {
    const { ask, give, runs } = watched();
    const one = ask("p");
    assert.equal(await give(ask("q"), "of q"), "of q");
    assert.equal(runs.length, 2);
    runs[0]?.answer.resolve({ rows: ["of p"], statistics: { elapsed: 1, rows_read: 0, bytes_read: 0 } });
    assert.deepEqual((await one).rows, ["of p"]);
    assert.deepEqual([(await ask("p")).rows, (await ask("q")).rows], [["of p"], ["of q"]]);
  });

  test("a statement that does not say what it reads is run each time", async () => {
    const { select, runs } = watched();
    void select(SQL);
    void select(SQL);
    assert.equal(runs.length, 2);
  });

  test("a change of its days or of earlier ones is read, a change of later days or other projects keeps the rows", async () => {
    const { ask, give, changed, runs } = watched();
    await give(ask("p"), "old");
    changed([
      { projectId: "p", day: "2026-03-11" },
      { projectId: "q", day: "2026-03-01" },
    ]);
    assert.deepEqual([(await ask("p")).rows, runs.length], [["old"], 1]);
    for (const day of [LAST, "2026-01-01"]) {
      changed([{ projectId: "p", day }]);
      assert.equal(await give(ask("p"), `since ${day}`), `since ${day}`);
    }
    changed();
    assert.equal(await give(ask("p"), "since anything"), "since anything");
    assert.equal(runs.length, 4);
  });

  test("what changes while a read runs is neither joined nor kept", async () => {
    const { ask, give, changed, runs } = watched();
    const before = ask("p");
    changed([{ projectId: "p", day: LAST }]);
    assert.equal(await give(ask("p"), "new"), "new");
    runs[0]?.answer.resolve({ rows: ["old"], statistics: { elapsed: 1, rows_read: 0, bytes_read: 0 } });
    assert.deepEqual((await before).rows, ["old"], "it was asked before");
    assert.deepEqual([(await ask("p")).rows, runs.length], [["new"], 2]);
  });

  test("who leaves does not end it for others; when all have left it is ended and not joined", async () => {
    const { ask, give, runs } = watched();
    const [first, second] = [new AbortController(), new AbortController()];
    const left = [
      assert.rejects(ask("p", { signal: first.signal }), /one/),
      assert.rejects(ask("p", { signal: second.signal }), /two/),
    ];
    first.abort(new Error("one"));
    await left[0];
    assert.equal(runs[0]?.signal?.aborted, false);
    second.abort(new Error("two"));
    await left[1];
    assert.equal(runs[0]?.signal?.aborted, true);
    assert.equal(await give(ask("p"), "new"), "new");
    assert.equal(runs.length, 2);
  });

  test("a failure is told to all who wait, and is not kept", async () => {
    const { ask, give, runs } = watched();
    const failed = [ask("p"), ask("p")].map((one) => assert.rejects(one, /broken/));
    runs[0]?.answer.reject(new Error("broken"));
    await Promise.all(failed);
    assert.equal(await give(ask("p"), "well"), "well");
  });

  test("the longest unused rows go when there is no room, and large ones are never kept", async () => {
    const { ask, give, runs } = watched({ bytes: 10_000 });
    const text = "x".repeat(500);
    for (let nth = 0; nth < 9; nth += 1) await give(ask(`p${nth}`), text);
    await ask("p0");
    await give(ask("p9"), text);
    await ask("p0");
    assert.equal(runs.length, 10, "used meanwhile");
    await give(ask("p1"), text);
    assert.equal(runs.length, 11, "unused");
    await give(ask("large"), "x".repeat(1_000));
    await give(ask("large"), "again");
    assert.equal(runs.length, 13);
  });

  test("without room nothing is kept, and what runs is still shared", async () => {
    const { ask, give, runs } = watched({ bytes: 0 });
    const other = ask("p");
    await give(ask("p"), "rows");
    await other;
    assert.equal(runs.length, 1);
    await give(ask("p"), "again");
    assert.equal(runs.length, 2);
  });

  test("where others write, only settled rows are kept and a read is joined only while it is new", async () => {
    const joined = watched({ ...ROOM, unsettledMs: 60_000 });
    const other = joined.ask("p");
    await joined.give(joined.ask("p"), "dirty");
    await other;
    assert.equal(joined.runs.length, 1, "joined");
    await joined.give(joined.ask("p"), "again");
    assert.equal(joined.runs.length, 2, "not kept");
    await joined.give(joined.ask("q", { isSettled: true }), "clean");
    assert.deepEqual([(await joined.ask("q", { isSettled: true })).rows, joined.runs.length], [["clean"], 3]);

    const { ask, give, runs } = watched({ ...ROOM, unsettledMs: 0 });
    const before = ask("p");
    await give(ask("p"), "new");
    assert.equal(runs.length, 2);
    runs[0]?.answer.resolve({ rows: ["old"], statistics: { elapsed: 1, rows_read: 0, bytes_read: 0 } });
    assert.deepEqual((await before).rows, ["old"]);
  });
});
