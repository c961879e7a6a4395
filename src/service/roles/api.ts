import { Registry } from "prom-client";
import type { AnalyticsEngine } from "../../engines/port.ts";
import type { Config } from "../../installation/config.ts";
import { systemClock } from "../../lib/clock.ts";
import { addGauges } from "../../lib/gauges.ts";
import { createStreamThread } from "../../lib/stream-thread.ts";
import { MINUTE_MS } from "../../lib/time.ts";
import { createLiveHub, type LiveHub } from "../../query/live/hub.ts";
import { createReportMetrics } from "../../query/run/metrics.ts";
import { createRunLookup, type RunLookup } from "../../query/run/run-lookup.ts";
import { createRunOther, createRunReport, type RunOther, type RunReport } from "../../query/run/run-report.ts";
import { createQuerySlots, type QuerySlots } from "../../query/run/slots.ts";
import { createYieldingSlots } from "../../query/run/yielding-slots.ts";
import type { AnswerThread } from "../../query/sql/answer-thread.ts";
import { createRunSql, type RunSql } from "../../query/sql/run-sql.ts";
import type { ServiceLog } from "../log.ts";
import type { OpenedRole } from "./role.ts";

/** Asks what nobody waits for: it has slots of its own, one of a workspace at a time, and gives way to people. */
export interface Background {
  runReport: RunReport;
  runOther: RunOther;
  runLookup: RunLookup;
  runSql: RunSql;
}

export interface ApiRole extends OpenedRole {
  background: Background;
  runReport: RunReport;
  runOther: RunOther;
  runLookup: RunLookup;
  runSql: RunSql;
  answerThread: AnswerThread;
  live: LiveHub;
}

const BACKGROUND_SLOTS = { running: 1, waiting: 100, waitMs: MINUTE_MS };

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
  const ofSlots = (own: QuerySlots): Background => {
    const deps = { engine, clock: systemClock, slots: own };
    return {
      runReport: createRunReport(deps),
      runOther: createRunOther(deps),
      runLookup: createRunLookup(deps),
      runSql: createRunSql({ ...deps, timeoutMs: config.SQL_TIMEOUT_MS, thread }),
    };
  };
  const quiet = createQuerySlots({ ...BACKGROUND_SLOTS, lagSeconds });
  return {
    background: ofSlots(createYieldingSlots(quiet, () => slots.count().waiting > 0)),
    metrics,
    checks: [],
    runReport: createRunReport({ engine, clock: systemClock, slots, observe }),
    runOther: createRunOther({ engine, clock: systemClock, slots, observe }),
    runLookup,
    live,
    runSql: createRunSql({ engine, clock: systemClock, slots, timeoutMs: config.SQL_TIMEOUT_MS, observe, thread }),
    answerThread: thread,
    close: () => thread.close(),
  };
}
