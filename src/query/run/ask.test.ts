import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { REPORT_CATALOGUE, REPORT_NAMES } from "../../contract/reports.ts";
import type { Question } from "../report/question.ts";
import { createReports } from "./ask.ts";
import type { RunReport } from "./run-report.ts";
import type { FindSegment } from "./with-segment.ts";

const NOW_MS = Date.parse("2026-03-11T12:00:00Z");
const OWNER = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
const { signal } = new AbortController();

const SEGMENTS: Record<string, object[]> = {
  seg_desktop: [{ field: "device", op: "eq", value: "desktop" }],
  seg_stage: [{ field: "lifecycle", op: "eq", value: "New" }],
};
const findSegment: FindSegment = async (_owner, id) => {
  const found = SEGMENTS[id];
  if (found === undefined) throw new ApiError("NOT_FOUND", "There is no such segment");
  return found;
};

/** Records what would run. */
function recorded() {
  const runs: { name: string; question: Question }[] = [];
  const runReport: RunReport = async (name, _owner, question) => {
    runs.push({ name, question });
    const statistics = { elapsed: 0, rows_read: 0, bytes_read: 0 };
    return { meta: [], data: [], rows: 0, rows_before_limit_at_least: 0, statistics, timezone: "UTC" };
  };
  return { runs, ...createReports({ runReport, findSegment, clock: { nowMs: () => NOW_MS } }) };
}

async function failuresOf(asked: Promise<unknown>): Promise<unknown> {
  const refused: unknown = await asked.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  assert.ok(refused instanceof ApiError);
  assert.equal(refused.code, "INVALID_VALIDATION_REQUEST");
  return refused.details;
}

describe("asking a report", () => {
  test("takes values as well as the texts of a URL, and fills in the defaults of the catalogue", async () => {
    const { ask, runs } = recorded();
    await ask(OWNER, "top_chains", { limit: 7 }, signal);
    await ask(OWNER, "top_chains", { limit: "7" }, signal);
    await ask(OWNER, "top_chains", {}, signal);
    assert.deepEqual(
      runs.map(({ question }) => [question.limit, question.offset, question.lastDay]),
      [
        [7, 0, "2026-03-11"],
        [7, 0, "2026-03-11"],
        [50, 0, "2026-03-11"],
      ],
    );
  });

  test("leaves the given query as it is", async () => {
    const query = { limit: "7" };
    await recorded().ask(OWNER, "top_chains", query, signal);
    assert.deepEqual(query, { limit: "7" });
  });

  test("refuses with the failures of the schema and of the report together, and runs nothing", async () => {
    const { ask, runs } = recorded();
    const filters = '[{"field":"device","op":"nope","value":"x"}]';
    const details = await failuresOf(ask(OWNER, "top_chains", { limit: "many", date_from: "x", filters }, signal));
    assert.deepEqual(Object.keys(details as object).sort(), ["query.date_from", "query.filters.0.op", "query.limit"]);
    assert.deepEqual(runs, []);
  });

  test("with a segment asks what its filters and those of the query ask together", async () => {
    const { ask, runs } = recorded();
    const filters = (...list: object[]) => JSON.stringify(list);
    const [device = {}] = SEGMENTS.seg_desktop ?? [];
    const os = { field: "os", op: "eq", value: "ios" };
    await ask(OWNER, "top_chains", { segment: "seg_desktop", filters: filters(os) }, signal);
    await ask(OWNER, "top_chains", { filters: filters(os, device) }, signal);
    await ask(OWNER, "lifecycle", { segment: "seg_stage" }, signal);
    await ask(OWNER, "lifecycle", { filters: filters(...(SEGMENTS.seg_stage ?? [])) }, signal);
    const [first, second, third, fourth] = runs.map(({ question }) => question);
    assert.deepEqual(first, second);
    assert.deepEqual(third, fourth);
  });

  test("refuses a segment that is not there, and one with a field that the report does not have", async () => {
    const { ask, runs } = recorded();
    await assert.rejects(ask(OWNER, "top_chains", { segment: "seg_none" }, signal), { code: "NOT_FOUND" });
    const details = await failuresOf(ask(OWNER, "top_chains", { segment: "seg_stage" }, signal));
    assert.deepEqual(Object.keys(details as object), ["query.segment.0.field"]);
    assert.deepEqual(runs, []);
  });

  test("is possible for every report of the catalogue, each with a segment", async () => {
    const { ask, runs } = recorded();
    const required = {
      date_from: "2026-03-01",
      date_to: "2026-03-02",
      metric_column: "referrer",
      address: "0x1",
      steps: '[{"type":"event","event":"page"},{"type":"event","event":"connect"}]',
      start_step: '{"type":"event","event":"page"}',
    };
    for (const name of REPORT_NAMES) {
      await ask(OWNER, name, required, signal);
      await ask(OWNER, name, { ...required, segment: "seg_desktop" }, signal);
      assert.ok("segment" in REPORT_CATALOGUE[name].query.properties, name);
    }
    assert.deepEqual(
      runs.map(({ question }) => question.conditions.length),
      REPORT_NAMES.flatMap(() => [0, 1]),
    );
  });
});
