/**
 * Asks a report by its name, with the query that a client would send: validated by the catalogue (contract/reports.ts),
 * planned, and run in a slot of the workspace. Routes, jobs and whatever else needs a report's numbers call it.
 */
import type { ReportQuery } from "../../contract/analytics.ts";
import { REPORT_CATALOGUE, type ReportName } from "../../contract/reports.ts";
import { validationError } from "../../contract/validation-error.ts";
import { type CheckSchema, createSchemaChecks } from "../../lib/check-schema.ts";
import type { Clock } from "../../lib/clock.ts";
import { findTextProblems } from "../../lib/query-text.ts";
import { type Known, type ReportOwner, readQuestion } from "../report/question.ts";
import { REPORTS } from "../reports/index.ts";
import type { Spent } from "./in-slot.ts";
import type { ReportAnswer, RunReport } from "./run-report.ts";
import { type FindSegment, readWithSegment } from "./with-segment.ts";

/** The parameters of a report, as texts of a URL or as values. */
export type RawQuery = Readonly<Record<string, unknown>>;

/** Runs a validated query for an owner. */
export type RunQuestion = (owner: ReportOwner, signal: AbortSignal, spent?: Spent) => Promise<ReportAnswer>;

export type CheckedQuery =
  | { readonly ok: true; readonly value: RunQuestion }
  | { readonly ok: false; readonly failures: ReadonlyMap<string, string> };

export interface Reports {
  /** Throws INVALID_VALIDATION_REQUEST with every failure of the query. */
  ask(owner: ReportOwner, name: ReportName, query: RawQuery, signal: AbortSignal, spent?: Spent): Promise<ReportAnswer>;
  /**
   * The second half of the validation, what a schema cannot say. A route calls it by itself, because it refuses a query
   * before it looks for the projects, and the framework has compared the query with the schema.
   */
  check(name: ReportName, query: ReportQuery, nowMs: number): CheckedQuery;
}

interface ReportsDeps {
  runReport: RunReport;
  findSegment: FindSegment;
  clock: Clock;
}

/** All that is wrong with a query that nobody asks yet, by its paths: `query.filters.0.op`. */
export function findQueryFailures(name: ReportName, query: RawQuery, nowMs: number): ReadonlyMap<string, string> {
  // The check of the schema fills in defaults.
  const values: Record<string, unknown> = { ...query };
  const failures = checkSchema(name, values);
  const read = readQuestion(REPORTS[name], values, nowMs);
  if (!read.ok) for (const [path, problem] of read.failures) if (!failures.has(path)) failures.set(path, problem);
  return failures;
}

export function createReports({ runReport, findSegment, clock }: ReportsDeps): Reports {
  function check(name: ReportName, query: ReportQuery, nowMs: number): CheckedQuery {
    const read = readQuestion(REPORTS[name], query, nowMs);
    if (!read.ok) return read;
    return {
      ok: true,
      async value(owner, signal, spent) {
        const again = (known: Known) => readQuestion(REPORTS[name], query, nowMs, known);
        const question = await readWithSegment(findSegment, owner, query, read.value, again);
        return runReport(name, owner, question, signal, spent);
      },
    };
  }
  return {
    check,
    async ask(owner, name, query, signal, spent) {
      // The check of the schema fills in defaults.
      const values: Record<string, unknown> = { ...query };
      const failures = checkSchema(name, values);
      const checked = check(name, values, clock.nowMs());
      const further = checked.ok ? [] : [...checked.failures].filter(([path]) => !failures.has(path));
      for (const [path, problem] of further) failures.set(path, problem);
      if (failures.size > 0 || !checked.ok) throw validationError(failures);
      return checked.value(owner, signal, spent);
    },
  };
}

/** Schemas are compiled when a report is first asked: routes have their own, and a service may never ask. */
let checks: ReturnType<typeof createSchemaChecks> | undefined;
const compiled = new Map<ReportName, CheckSchema>();

function checkSchema(name: ReportName, values: Record<string, unknown>): Map<string, string> {
  const { query } = REPORT_CATALOGUE[name];
  const failures = findTextProblems(query, values);
  checks ??= createSchemaChecks();
  const check = compiled.get(name) ?? checks.ofText(query, "query");
  compiled.set(name, check);
  check(values, failures);
  return failures;
}
