/** One question for every shape of a report's statement: the golden files and the number of reads are taken from them. */

import type { ReportName } from "../../src/contract/reports.ts";
import { type Plan, planReport } from "../../src/query/report/question.ts";
import { REPORTS } from "../../src/query/reports/index.ts";
import { questionOf } from "../../src/query/testing.ts";

export const NOW_MS = Date.parse("2026-03-10T12:00:00Z");

const SESSION = { field: "device", op: "equals", value: "desktop" };
const EVENT = { field: "page", op: "includes", value: "/swap" };
export interface State {
  filters?: object[];
  excludeBots?: boolean;
  query?: object;
}

const STATES: Record<string, State> = {
  plain: {},
  session_filter: { filters: [SESSION] },
  event_filter: { filters: [EVENT] },
  both_filters: { filters: [SESSION, EVENT] },
  session_scope: { filters: [EVENT], query: { page_scope: "session" } },
  without_bots: { excludeBots: true },
};
const TEN_STEPS = Array.from({ length: 10 }, (_, at) => ({ type: "track", event: `Event ${at}` }));
/** The parameters that a report needs. */
const NEEDED: Partial<Record<ReportName, object>> = {
  revenue_by_metric: { metric_column: "utm_source" },
  volume_by_metric: { metric_column: "utm_source" },
  revenue_timeseries: { address: "0xabc" },
  breakdown: { metric_column: "channel" },
  funnel: {
    date_from: "2026-03-01",
    date_to: "2026-03-07",
    steps: JSON.stringify([
      { type: "event", event: "page" },
      { type: "track", event: "Swap", filters: [{ field: "token", op: "eq", value: "USDC" }] },
      { type: "transaction" },
    ]),
  },
  flow: {
    date_from: "2026-03-01",
    date_to: "2026-03-07",
    start_step: JSON.stringify({ type: "event", event: "/swap" }),
  },
};
/** People who have swapped so often, and who sent few transactions in a day. */
function peopleFilter(operator: string, times: number): object {
  const swap = { event: "Swap", operator, times, preset: "last_30d" };
  const filters = [{ field: "token", op: "eq", value: "USDC" }];
  const behaviours = [swap, { event: "transaction", operator: "lte", times: 5, preset: "last_24h", filters }];
  return { field: "events", op: "eq", value: Buffer.from(JSON.stringify(behaviours)).toString("base64") };
}

/** Further states of some reports. */
const MORE: Partial<Record<ReportName, Record<string, State>>> = {
  funnel: {
    open: { query: { funnel_type: "open" } },
    by_referrer: { query: { group_by: "referrer", attribution: "last_touch" } },
    open_by_referrer: { query: { funnel_type: "open", group_by: "referrer", attribution: "last_touch" } },
    of_ten_by_referrer: { query: { group_by: "referrer", steps: JSON.stringify(TEN_STEPS) } },
  },
  flow: {
    to_end: { query: { end_step: JSON.stringify({ type: "transaction" }) } },
    with_exits: { query: { include_exits: true } },
    through: { query: { through: JSON.stringify(["/swap", "", "connect"]) } },
  },
  lifecycle: { with_previous: { query: { include_previous_period: true } } },
  frequency: {
    by_stage: { query: { filters: JSON.stringify([{ field: "lifecycle", op: "eq", value: "New" }]) } },
    by_behaviour: {
      query: {
        behavior_filters: JSON.stringify([{ event: "Swap", op: "gte", times: 2 }]),
        source_filter: JSON.stringify({ op: "eq", value: "web" }),
      },
    },
  },
  retention: {
    of_visitors: { query: { id_type: "anonymous_id", retention_type: "recurring" } },
    by_day: { query: { interval: "day" } },
    by_month: { query: { interval: "month", retention_type: "recurring" } },
    by_entry: { query: { entry_type: "connect", event_type: "transaction" } },
    by_any_entry: { query: { entry_type: "any", event_name: "Swap", retention_type: "recurring" } },
    by_event: {
      query: {
        event_type: "transaction",
        user_filters: JSON.stringify([
          { field: "utm_source", op: "eq", value: "x" },
          { field: "revenue", op: "gt", value: 5 },
        ]),
      },
    },
  },
  event_timeseries: { by_device: { query: { group_by: "device" } } },
  kpis: {
    by_week: { query: { interval: "week", include_previous_period: true } },
    by_hour: { query: { interval: "hour" } },
    by_device: { query: { group_by: "device" } },
    by_hour_on_page: { filters: [EVENT], query: { interval: "hour" } },
    of_people: { filters: [SESSION, peopleFilter("gte", 2)] },
  },
  revenue_overview: { by_source: { query: { group_by: "utm_source" } } },
  breakdown: {
    compared: {
      query: { compare_from: "2026-02-01", compare_to: "2026-02-08", order_by: "revenue_change", order: "asc" },
    },
    by_page: { query: { metric_column: "page" } },
    by_page_filtered: { filters: [SESSION, EVENT], query: { metric_column: "page" } },
    by_entry_page: { filters: [EVENT], query: { metric_column: "entry_page" } },
    by_app: { query: { metric_column: "rdns" } },
    by_app_filtered: { filters: [EVENT], query: { metric_column: "rdns" } },
    by_chain_compared: { filters: [SESSION], query: { metric_column: "chain_id", include_previous_period: true } },
    by_code: { query: { metric_column: "builder_codes" } },
  },
  top_pages: {
    entry: { query: { mode: "entry" } },
    exit: { query: { mode: "exit" } },
    exit_on_page: { filters: [EVENT], query: { mode: "exit" } },
  },
  revenue_by_metric: {
    by_code: {
      filters: [{ field: "builder_codes", op: "in", value: "a|b" }],
      query: { metric_column: "builder_codes" },
    },
  },
  top_sources: {
    paid: { query: { metric_column: "paid_source" } },
    of_people: { filters: [peopleFilter("gte", 2)] },
    of_others: { filters: [peopleFilter("eq", 0)] },
  },
};
export const statesOf = (name: ReportName): Record<string, State> => ({ ...STATES, ...MORE[name] });

export function planOf(name: ReportName, state: State): Plan {
  const owner = {
    workspaceId: "w",
    projects: [{ id: "p", excludeBots: state.excludeBots ?? false, retentionDays: null }],
  };
  return planReport(REPORTS[name], owner, questionOf(name, queryOf(name, state), NOW_MS), NOW_MS);
}

export function queryOf(name: ReportName, { filters, query: own }: State) {
  return {
    limit: 50,
    offset: 0,
    ...(filters ? { filters: JSON.stringify(filters) } : {}),
    ...NEEDED[name],
    ...own,
  };
}
