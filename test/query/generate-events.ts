// Seeded queries of the reports in oracle-events.ts.
import { makeFilters, makeWindow, type Random, REVENUE_COLUMNS, shuffle, UNKNOWN_COLUMNS } from "./generate.ts";
import type { OracleEvent } from "./oracle.ts";
import { EVENTS_REPORTS, type EventsQuery } from "./oracle-events.ts";

const GROUPS =
  "channel_type|device|browser|os|location|referrer|ref|utm_source|utm_medium|utm_campaign|utm_content|utm_term|builder_codes";

export interface QuerySource {
  readonly projects: readonly string[];
  readonly days: readonly string[];
  readonly events: readonly OracleEvent[];
}

/** The parameters that a report has beside those of all. */
const OWN: Partial<Record<EventsQuery["report"], (random: Random, source: QuerySource) => OwnParameters>> = {
  top_events: (random) => (random.chance(0.3) ? { type: "custom" } : {}),
  volume_by_metric: (random) => ({
    metric_column: random.pick((random.chance(0.06) ? UNKNOWN_COLUMNS : REVENUE_COLUMNS).split("|")),
  }),
  revenue_timeseries: (random, { events }) => ({ address: pickAddress(random, events) }),
  event_timeseries: (random) => ({
    ...(random.chance(0.3) ? { exclude: random.pick(["page", "identify,detect", "track, Page", "nope", ""]) } : {}),
    ...(random.chance(0.5) ? { group_by: random.pick(GROUPS.split("|")) } : {}),
    ...(random.chance(0.5) ? { keys: random.pick([1, 2, 5, 1000]) } : {}),
  }),
};
type OwnParameters = Partial<Omit<EventsQuery, "report">>;

export function generateEventsQuery(random: Random, source: QuerySource): EventsQuery {
  const report = random.pick(EVENTS_REPORTS);
  const asked = makeCommon(random, source, isCounted(report));
  return { report, ...asked, ...OWN[report]?.(random, source) };
}

/** The parameters that every report has. `counted` are the events that filters mostly describe. */
export function makeCommon(
  random: Random,
  { projects, days, events }: QuerySource,
  counted: (event: OracleEvent) => boolean,
): Omit<EventsQuery, "report"> {
  const asked = random.chance(0.5) ? projects : projects.filter(() => random.chance(0.5));
  // Answered from the rollups, which hold the most that can go wrong.
  const isPlain = random.chance(0.4);
  const bots = random.chance(0.5) ? projects.filter(() => random.chance(0.6)) : undefined;
  return {
    projects: shuffle(random, asked.length > 0 ? asked : [random.pick(projects)]),
    ...makeWindow(random, days),
    filters: isPlain ? [] : makeFilters(random, events.filter(counted), events),
    ...(random.chance(0.4) ? { page_scope: random.pick(["page", "session"] as const) } : {}),
    limit: random.pick([1, 2, 3, 5, 10, 50, 50, 50, 1000]),
    offset: random.chance(0.75) ? 0 : random.pick([1, 2, 5, 20, 100_000]),
    ...(bots === undefined ? {} : { excludeBots: bots }),
  };
}

function isCounted(report: EventsQuery["report"]): (event: OracleEvent) => boolean {
  if (report === "top_wallets") return ({ rdns }) => rdns !== "";
  if (report === "top_custom_events") return ({ type, event }) => type === "track" && event !== "";
  if (report === "volume_by_metric") return ({ volume }) => volume !== 0;
  return report === "revenue_timeseries" ? ({ revenue, address }) => revenue !== 0 && address !== "" : () => true;
}

function pickAddress(random: Random, events: readonly OracleEvent[]): string {
  const known = events.filter(({ address }) => address !== "");
  if (known.length === 0 || random.chance(0.05)) return "nobody";
  const { address } = random.pick(known);
  return random.chance(0.3) && address.startsWith("0x") ? `0x${address.slice(2).toUpperCase()}` : address;
}
