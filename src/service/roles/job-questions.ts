import { withSavedBots } from "../../boards/asked-visits.ts";
import { createRunCharts } from "../../boards/run-charts.ts";
import { createFindSegment, createFindSegmentTitles } from "../../control/segments.ts";
import type { ControlStore } from "../../control/store.ts";
import type { AnalyticsEngine } from "../../engines/port.ts";
import { systemClock } from "../../lib/clock.ts";
import { MINUTE_MS } from "../../lib/time.ts";
import { createReports, type Reports } from "../../query/run/ask.ts";
import { createRunLookup } from "../../query/run/run-lookup.ts";
import { createRunReport } from "../../query/run/run-report.ts";
import { createQuerySlots } from "../../query/run/slots.ts";
import type { AnswerThread } from "../../query/sql/answer-thread.ts";
import { createRunSql } from "../../query/sql/run-sql.ts";
import { gather } from "../../schedules/gather.ts";
import type { RunDueDeps } from "../../schedules/run-due.ts";

/** Jobs have slots of their own: they take none from people, and ask one report of a workspace at a time. */
const JOB_SLOTS = { running: 1, waiting: 100, waitMs: MINUTE_MS };

export interface JobQuestions {
  /** Asks a report. */
  ask: Reports["ask"];
  /** Asks all that a scheduled report says. */
  gather: RunDueDeps["gather"];
}

/** What jobs ask of the engine. */
export function createJobQuestions(deps: {
  store: ControlStore;
  engine: AnalyticsEngine;
  sqlTimeoutMs: number;
  thread: AnswerThread;
}): JobQuestions {
  const { store, engine, sqlTimeoutMs, thread } = deps;
  const common = { engine, clock: systemClock, slots: createQuerySlots(JOB_SLOTS) };
  const findSegment = createFindSegment(store.read);
  const reports = createReports({ runReport: createRunReport(common), findSegment, clock: systemClock });
  const charts = createRunCharts({
    reports: withSavedBots({ reports }),
    runSql: createRunSql({ ...common, timeoutMs: sqlTimeoutMs, thread }),
    runLookup: createRunLookup(common),
    findSegment,
    findSegmentTitles: createFindSegmentTitles(store.read),
    clock: systemClock,
  });
  return {
    ask: reports.ask,
    gather: (schedule, run, nowMs, signal) =>
      gather({ db: store.read, ask: reports.ask, charts }, schedule, run, { nowMs, isTest: false, signal }),
  };
}
