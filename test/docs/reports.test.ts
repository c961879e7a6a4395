import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { ReportName } from "../../src/contract/reports.ts";
import { REPORTS } from "../../src/query/reports/index.ts";
import { createReports, type Reports } from "../../src/query/run/ask.ts";
import { createTestWriter, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { startReports } from "../support/visits.ts";
import { reportEvents } from "./report-events.ts";

/**
 * Sends every request of docs/reports.md through the one function that asks reports, and compares the answer with the
 * text; of `json some` only the shown rows. `UPDATE_GOLDEN=1` writes the answers: read the diff before you commit it.
 */
const FILE = join(import.meta.dirname, "../../docs/reports.md");
const EXAMPLE = /```http\nGET (\/v0\/(\w+)\S*)\n```\n\n```json( some)?\n([\s\S]*?)\n```/g;
const PROJECT = "prj_example";
const NOW_MS = Date.parse("2026-03-11T12:00:00Z");

describe("the examples of the guide to reports", () => {
  let local: TestLocalEngine;
  let reports: Reports;
  before(async () => {
    const clock = { nowMs: () => NOW_MS };
    local = await startLocalEngine(clock);
    const write = await createTestWriter(local.engine);
    await write(PROJECT, reportEvents(), NOW_MS);
    const findSegment = () => Promise.reject(new Error("the guide names no segment"));
    reports = createReports({ runReport: startReports(local.engine, clock), findSegment, clock });
  });
  after(() => local.stop());

  async function ask(path: string, name: string): Promise<string> {
    const url = new URL(path, "http://test");
    const query = Object.fromEntries(url.searchParams);
    const owner = { workspaceId: "w", projects: [{ id: PROJECT, excludeBots: false, retentionDays: null }] };
    const { data } = await reports.ask(owner, name as ReportName, query, new AbortController().signal);
    return `[\n${data.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]`;
  }

  const text = readFileSync(FILE, "utf8");
  const examples = [...text.matchAll(EXAMPLE)];

  for (const [whole, path = "", name = "", some, shown = ""] of examples) {
    test(`GET ${decodeURIComponent(path)} answers what the guide says`, async () => {
      const given = await ask(path, name);
      if (some !== undefined) {
        const rows = JSON.parse(given) as object[];
        for (const row of JSON.parse(shown) as object[])
          assert.ok(
            rows.some((one) => isDeepStrictEqual(one, row)),
            JSON.stringify(row),
          );
      } else if (process.env.UPDATE_GOLDEN === "1")
        writeFileSync(FILE, readFileSync(FILE, "utf8").replace(whole, whole.replace(shown, given)));
      else assert.deepEqual(JSON.parse(shown), JSON.parse(given));
    });
  }

  test("every report has an example", () => {
    const reports: Readonly<Record<string, unknown>> = REPORTS;
    const shown = new Set(examples.map(([, , name = ""]) => reports[name]));
    // A former name has the same report.
    assert.deepEqual(
      Object.keys(reports).filter((name) => !shown.has(reports[name])),
      [],
    );
  });
});
