// Seeded queries of the reports in oracle-series.ts.
import { REPORT_LIMITS } from "../../src/contract/analytics.ts";
import { makeWindow, type Random } from "./generate.ts";
import { makeCommon, type QuerySource } from "./generate-events.ts";
import type { SeriesQuery } from "./oracle-series.ts";

const KPI_GROUPS = "referrer|location|device|browser|os|utm_source|utm_medium|utm_campaign";
const REVENUE_GROUPS = `${KPI_GROUPS}|utm_content|utm_term|ref|builder_codes|channel_type|paid_source`;
const DAY_MS = 86_400_000;

export function generateSeriesQuery(random: Random, source: QuerySource): SeriesQuery {
  const report = random.pick(["kpis", "kpis", "revenue_overview", "top_pages", "top_pages"] as const);
  const isMoney = report === "revenue_overview";
  const asked = makeCommon(random, source, ({ type, revenue }) => (isMoney ? revenue !== 0 : type === "page"));
  if (report === "top_pages") return { report, ...asked, mode: random.pick(["all", "all", "entry", "exit"] as const) };
  const days = (Date.parse(asked.to) - Math.max(Date.parse(asked.from), 0)) / DAY_MS + 1;
  const names = isMoney ? [...REVENUE_GROUPS.split("|"), "nope"] : KPI_GROUPS.split("|");
  const group = random.chance(0.3) ? { group_by: random.pick(names), groups: 1 + random.int(6) } : undefined;
  // Too many rows would be refused, and too many days take the oracle too long.
  const most = REPORT_LIMITS.seriesRows / (asked.projects.length * (group?.groups ?? 1));
  const long = (["week", "month", "all"] as const).filter(
    (one) => days / { week: 6, month: 28, all: days }[one] < most,
  );
  const short = (["hour", "day", "day"] as const).filter((one) => days * { hour: 24, day: 1 }[one] < most);
  const interval = random.pick(days > 400 ? long : [...short, ...long]);
  return {
    report,
    ...asked,
    ...(isMoney && days <= 400 ? {} : { interval }),
    ...group,
    ...(isMoney && random.chance(0.5) ? { rank_by: random.pick(["revenue", "volume"] as const) } : {}),
    ...makeCompared(random, source),
  };
}

function makeCompared(random: Random, { days }: QuerySource): Partial<SeriesQuery> {
  if (random.chance(0.6)) return {};
  if (random.chance(0.5)) return { include_previous_period: true };
  const { from, to } = makeWindow(random, days);
  if (Date.parse(to) - Date.parse(from) > 400 * DAY_MS) return { include_previous_period: true };
  return { compare_from: from, compare_to: to };
}
