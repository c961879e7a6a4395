import assert from "node:assert/strict";
import type { ReportQuery } from "../contract/analytics.ts";
import type { ReportName } from "../contract/reports.ts";
import { type Question, readQuestion } from "./report/question.ts";
import { REPORTS } from "./reports/index.ts";
import type { ReportDeps } from "./run/run-report.ts";

/** Parses a valid query as the API server does. */
export function questionOf(name: ReportName, query: ReportQuery, nowMs = Date.now()): Question {
  const read = readQuestion(REPORTS[name], query, nowMs);
  assert.ok(read.ok, JSON.stringify(query));
  return read.value;
}

/** The failures of an invalid query, by their paths. */
export function questionFailures(name: ReportName, query: ReportQuery): Record<string, string> {
  const read = readQuestion(REPORTS[name], query, Date.now());
  assert.ok(!read.ok, JSON.stringify(query));
  return Object.fromEntries(read.failures);
}

const NO_RELATIONS = { ctes: [], params: {}, reads: { projects: [], lastDay: "" } } as const;

/** An engine without rows, which answers when the test allows it. */
export function engineAnswering(answer: (signal: AbortSignal | undefined) => Promise<void>): ReportDeps["engine"] {
  return {
    relations: {
      sharesCtes: true,
      forReport: async () => NO_RELATIONS,
      forProfiles: async () => NO_RELATIONS,
      arrivals: () => NO_RELATIONS,
      written: () => NO_RELATIONS,
      firstDays: () => NO_RELATIONS,
    },
    async select(_sql, options) {
      await answer(options?.signal);
      return { rows: [], statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } };
    },
  };
}

/** Known injection attempts. None of them may change the text of the SQL. */
export const INJECTIONS = [
  "' OR 1=1 --",
  "'; DROP TABLE events; --",
  "\\' OR 1=1 --",
  "\\\\' OR ''='",
  "x' UNION ALL SELECT * FROM system.tables --",
  "') SETTINGS max_memory_usage=1 --",
  "/* x */",
  "/*session_filter*/",
  "/*event_filter*/",
  "/*live*/",
  "-- x",
  "# x",
  "{p0:String}",
  "{projects:Array(String)}",
  "$1",
  "`events`",
  '"events"',
  "\u0000",
  "a\u0000' OR 1=1",
  "’ OR 1=1",
  "＇ OR 1=1",
  "ʼ OR 1=1",
  "\n FORMAT TSV",
  "\t",
  "%' OR '%'='",
  "1; SELECT sleep(3)",
  "file('/etc/passwd')",
  "url('http://127.0.0.1')",
  "\ud83d\ude00",
] as const;
