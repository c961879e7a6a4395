import { Registry } from "prom-client";
import type { AnalyticsEngine } from "../../engines/port.ts";
import type { Config } from "../../installation/config.ts";
import { systemClock } from "../../lib/clock.ts";
import { createReportMetrics } from "../../query/metrics.ts";
import { createRunReport, type RunReport } from "../../query/run.ts";
import { createRunLookup, type RunLookup } from "../../query/run-lookup.ts";
import { createRunSql, type RunSql } from "../../query/run-sql.ts";
import { createQuerySlots } from "../../query/slots.ts";
import type { OpenedRole } from "./role.ts";

export interface ApiRole extends OpenedRole {
  runReport: RunReport;
  runLookup: RunLookup;
  runSql: RunSql;
}

/** Opens what the API server needs besides the control store. */
export function openApi(engine: AnalyticsEngine, config: Config): ApiRole {
  const metrics = new Registry();
  const slots = createQuerySlots({
    running: config.QUERY_PER_WORKSPACE,
    waiting: config.QUERY_QUEUE,
    waitMs: config.QUERY_TIMEOUT_MS,
  });
  const observe = createReportMetrics(metrics, slots);
  return {
    metrics,
    checks: [],
    runReport: createRunReport({ engine, clock: systemClock, slots, observe }),
    runLookup: createRunLookup({ engine, clock: systemClock, slots, observe }),
    runSql: createRunSql({ engine, clock: systemClock, slots, timeoutMs: config.SQL_TIMEOUT_MS, observe }),
    close: async () => undefined,
  };
}
