import { Registry } from "prom-client";
import type { AnalyticsEngine } from "../../engines/port.ts";
import type { Config } from "../../installation/config.ts";
import { systemClock } from "../../lib/clock.ts";
import { addGauges } from "../../lib/gauges.ts";
import { createStreamThread } from "../../lib/stream-thread.ts";
import { createLiveHub, type LiveHub } from "../../query/live/hub.ts";
import { createReportMetrics } from "../../query/run/metrics.ts";
import { createRunLookup, type RunLookup } from "../../query/run/run-lookup.ts";
import { createRunReport, type RunReport } from "../../query/run/run-report.ts";
import { createQuerySlots } from "../../query/run/slots.ts";
import type { AnswerThread } from "../../query/sql/answer-thread.ts";
import { createRunSql, type RunSql } from "../../query/sql/run-sql.ts";
import type { ServiceLog } from "../log.ts";
import type { OpenedRole } from "./role.ts";

export interface ApiRole extends OpenedRole {
  runReport: RunReport;
  runLookup: RunLookup;
  runSql: RunSql;
  answerThread: AnswerThread;
  live: LiveHub;
}

/** Opens what the API server needs besides the control store. `lagSeconds` is that of the event log of this node. */
export function openApi(engine: AnalyticsEngine, config: Config, log: ServiceLog, lagSeconds: () => number): ApiRole {
  const metrics = new Registry();
  const slots = createQuerySlots({
    running: config.QUERY_PER_WORKSPACE,
    waiting: config.QUERY_QUEUE,
    waitMs: config.QUERY_TIMEOUT_MS,
    lagSeconds,
  });
  const observe = createReportMetrics(metrics, slots);
  const runLookup = createRunLookup({ engine, clock: systemClock, slots, observe });
  const live = createLiveHub({ runLookup, clock: systemClock, log });
  addGauges(metrics, [["sextant_live_streams", "Open streams of events.", live.count]]);
  const thread = createStreamThread();
  return {
    metrics,
    checks: [],
    runReport: createRunReport({ engine, clock: systemClock, slots, observe }),
    runLookup,
    live,
    runSql: createRunSql({ engine, clock: systemClock, slots, timeoutMs: config.SQL_TIMEOUT_MS, observe, thread }),
    answerThread: thread,
    close: () => thread.close(),
  };
}
