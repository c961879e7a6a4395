import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ReportQuery } from "../../contract/analytics.ts";
import { OPERATOR_NAMES } from "../../contract/filter-fields.ts";
import { REPORTS } from "../reports/index.ts";
import { questionOf } from "../testing.ts";
import { planReport, readQuestion } from "./question.ts";

const NOW_MS = Date.parse("2026-03-10T12:00:00Z");
const PAGE = { limit: 50, offset: 0 };

describe("a report's query", () => {
  const WRONG: [Partial<ReportQuery>, Record<string, string>][] = [
    [{ filters: "nonsense" }, { "query.filters": "must be a JSON array of conditions" }],
    [{ date_from: "2026-03-11", date_to: "2026-03-10" }, { "query.date_from": "must not be after date_to" }],
    [{ date_from: "2026-03-11" }, { "query.date_from": "must not be after today, which date_to is by default" }],
    [
      { filters: '[{"field":"device","op":"nope","value":"x"},7]', date_from: "2026-03-11" },
      {
        "query.filters.0.op": `must be one of ${OPERATOR_NAMES.join(", ")}`,
        "query.filters.1": "must be an object with field, op and value",
        "query.date_from": "must not be after today, which date_to is by default",
      },
    ],
  ];
  for (const [query, failures] of WRONG)
    test(`${JSON.stringify(query)} is invalid, and all failures are reported at once`, () => {
      const read = readQuestion(REPORTS.top_chains, { ...PAGE, ...query }, NOW_MS);
      assert.deepEqual(read.ok ? {} : Object.fromEntries(read.failures), failures);
    });

  const WINDOWS: [Partial<ReportQuery>, firstDay: string, lastDay: string][] = [
    [{}, "2026-03-03", "2026-03-10"],
    [{ date_from: "2026-03-10" }, "2026-03-10", "2026-03-10"],
    [{ date_to: "2026-02-28" }, "2026-02-21", "2026-02-28"],
    [{ date_from: "0001-01-01", date_to: "9999-12-31" }, "1970-01-01", "2149-06-05"],
  ];
  for (const [query, firstDay, lastDay] of WINDOWS)
    test(`${JSON.stringify(query)} covers ${firstDay} to ${lastDay}`, () => {
      const owner = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
      const { scope } = planReport(
        REPORTS.top_chains,
        owner,
        questionOf("top_chains", { ...PAGE, ...query }, NOW_MS),
        NOW_MS,
      );
      assert.deepEqual(scope, { projects: [{ id: "p", firstDay, withoutBots: false }], firstDay, lastDay });
    });
});
