import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { EngineDown } from "../failures.ts";
import { Tuple } from "./params.ts";
import { createRelations } from "./relations.ts";

const { signal } = new AbortController();
const CATALOGUE = {
  dirty_from: "2026-03-03",
  removed_before: "1970-01-01",
  revisions: [7, 8],
  dirty_days: ["2026-03-04"],
  dirty_dedupe_days: ["2026-03-04", "2026-03-05"],
  window_dedupe_days: ["2026-03-01", "2026-03-04"],
};

function open(states: readonly object[] | Error) {
  const seen = { reads: 0 };
  const relations = createRelations({
    async select<T>() {
      seen.reads += 1;
      if (states instanceof Error) throw states;
      return { rows: states as T[], statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } };
    },
  });
  const ask = (projects: readonly string[]) =>
    relations.forReport(
      {
        projects: projects.map((id) => ({ id, firstDay: "2026-03-01", withoutBots: false })),
        firstDay: "2026-03-01",
        lastDay: "2026-03-31",
      },
      signal,
    );
  return { seen, ask };
}

describe("the relations of a report on ClickHouse", () => {
  test("name the revisions of clean partitions and the days of dirty ones", async () => {
    const { ask } = open([
      { project_id: "a", ...CATALOGUE },
      { project_id: "b", ...CATALOGUE, revisions: [], removed_before: "2026-03-02" },
    ]);
    const { params } = await ask(["a", "b", "without events"]);
    assert.deepEqual(params.scope, [
      new Tuple("a", "2026-03-01", "2026-03-03"),
      new Tuple("b", "2026-03-02", "2026-03-03"),
      new Tuple("without events", "2026-03-01", "1970-01-01"),
    ]);
    assert.deepEqual(params.scope_revisions, [7, 8]);
    assert.deepEqual(params.scope_dirty_days, [new Tuple("a", "2026-03-04"), new Tuple("b", "2026-03-04")]);
    assert.deepEqual(params.scope_dedupe_days, ["2026-03-01", "2026-03-04"]);
  });

  test("make no sessions where nothing is dirty, and read none where nothing is clean", async () => {
    const sessionsOf = async (states: readonly object[]) => {
      const { ctes } = await open(states).ask(["a"]);
      return ctes.find(({ name }) => name === "sessions")?.sql ?? "";
    };
    const clean = await sessionsOf([{ project_id: "a", ...CATALOGUE, dirty_days: [] }]);
    const dirty = await sessionsOf([{ project_id: "a", ...CATALOGUE, revisions: [] }]);
    assert.deepEqual(
      [clean, dirty, await sessionsOf([])].map((sql) => [sql.includes("session_rows"), sql.includes("events_rows")]),
      [
        [true, false],
        [false, true],
        [true, false],
      ],
    );
  });

  test("share a catalogue read of the same projects and days for a moment, and never a failed one", async () => {
    const { seen, ask } = open([]);
    await Promise.all([ask(["a"]), ask(["a"]), ask(["a", "b"])]);
    assert.equal(seen.reads, 2);
    const failing = open(new EngineDown("unavailable"));
    await assert.rejects(failing.ask(["a"]), EngineDown);
    await assert.rejects(failing.ask(["a"]), EngineDown);
    assert.equal(failing.seen.reads, 2);
  });
});
