// Seeded steps and funnels for oracle-funnel.ts. Steps mostly mean events that exist.
import { makeFilters, makeWindow, PROPERTIES, type Random, STATUSES, shuffle } from "./generate.ts";
import { type OracleEvent, type OracleFilter, propertyText, textOf } from "./oracle.ts";
import type { FunnelQuery } from "./oracle-funnel.ts";
import type { OracleStep } from "./oracle-steps.ts";

export interface Source {
  readonly projects: readonly string[];
  readonly days: readonly string[];
  readonly events: readonly OracleEvent[];
}

const GROUPS = "channel_type|device|browser|os|location|referrer|ref|utm_source|utm_campaign|builder_codes".split("|");
const HOUR = 3600;
const WINDOWS = [1, HOUR, 2 * HOUR, 12 * HOUR, 24 * HOUR, 48 * HOUR, 72 * HOUR, 72 * HOUR, 14 * 24 * HOUR];
const LONGEST = 500;

export function generateFunnel(random: Random, source: Source): FunnelQuery {
  const count = random.pick([2, 2, 3, 3, 3, 4, 4, 5, 10]);
  const steps = pickFollowing(random, source.events, count).map((event, at) => ({
    ...makeStep(random, event),
    name: `step ${at}`,
  }));
  return {
    ...makeFollowed(random, source),
    steps,
    window_seconds: random.pick(WINDOWS),
    ...(random.chance(0.2) ? { within_dates: true } : {}),
    funnel_type: random.chance(0.7) ? "closed" : "open",
    ...(random.chance(0.4) ? { group_by: random.pick(GROUPS) } : {}),
    limit: random.pick([1, 2, 5, 100]),
    attribution: random.pick(["first_touch", "last_touch"]),
  };
}

/** Mostly events of one visitor in their order, so that somebody reaches the later steps. */
function pickFollowing(random: Random, events: readonly OracleEvent[], count: number): OracleEvent[] {
  if (random.chance(0.2)) return Array.from({ length: count }, () => random.pick(events));
  const { project_id, anonymous_id, user_id } = random.pick(events);
  const own = events.filter(
    (event) =>
      event.project_id === project_id &&
      event.anonymous_id === anonymous_id &&
      (anonymous_id || event.user_id === user_id),
  );
  const picked = Array.from({ length: count }, () => random.pick(own));
  return random.chance(0.8) ? picked.toSorted((a, b) => a.timestamp - b.timestamp) : picked;
}

/** Projects, days, filters and bots of a report that follows users. */
export function makeFollowed(
  random: Random,
  { projects, days, events }: Source,
): Pick<FunnelQuery, "projects" | "from" | "to" | "filters" | "excludeBots"> {
  const asked = random.chance(0.5) ? projects : projects.filter(() => random.chance(0.5));
  const isPlain = random.chance(0.7);
  const bots = random.chance(0.3) ? projects.filter(() => random.chance(0.6)) : undefined;
  return {
    projects: shuffle(random, asked.length > 0 ? asked : [random.pick(projects)]),
    ...makeWindow(random, days),
    filters: isPlain ? [] : makeFilters(random, events, events),
    ...(bots === undefined ? {} : { excludeBots: bots }),
  };
}

export function makeStep(random: Random, event: OracleEvent): OracleStep {
  const step = stepOf(random, event);
  if (random.chance(0.8)) return step;
  const filter = makeEventFilter(random, event);
  const { field, ...condition } = filter;
  return random.chance(0.7) ? { ...step, filters: [filter] } : { ...step, [field]: condition };
}

function stepOf(random: Random, { type, event, pathname }: OracleEvent): OracleStep {
  switch (type) {
    case "page": {
      const isPath = pathname.startsWith("/") && random.chance(0.5);
      if (isPath && random.chance(0.5)) return { type: "event", event: pathname };
      if (isPath) return { type: random.pick(["page", "event"]), event: "page", resolved_event: pathname };
      return { type: "event", event: random.pick(["page", "page", "__ALL_PAGE_VIEWS__"]) };
    }
    case "track":
    case "decoded_log":
      return { type, event: event !== "" && event.length <= LONGEST ? event : "Swap" };
    case "transaction":
      return random.pick<OracleStep>([
        { type, event: type },
        { type: "event", event: type },
        { type, event: random.pick(["started", "broadcasted", "confirmed"]) },
        { type, event: "", status_value: random.pick(STATUSES) },
      ]);
    case "signature":
      return random.pick<OracleStep>([
        { type, event: "" },
        { type: "event", event: type },
        { type, event: "confirmed" },
      ]);
    case "connect":
    case "identify":
      return { type: random.pick(["event", type]), event: type };
    default:
      return { type: "event", event: "page" };
  }
}

const TEXTS = "device|os|location|referrer|direct|utm_source|version|locale|timezone|page_path|chain_id".split("|");

/** A condition on the event's own columns or properties, mostly true for this event. */
export function makeEventFilter(random: Random, event: OracleEvent): OracleFilter {
  if (random.chance(0.2))
    return {
      field: random.pick(["revenue", "volume"]),
      op: random.pick(["gt", "gte", "lt", "eq"]),
      value: event.revenue,
    };
  if (random.chance(0.5)) {
    const key = random.pick(["status", "missing", ...Object.keys(PROPERTIES)]);
    const field = random.chance(0.3) ? `properties.${key}` : key;
    if (["amount", "size", "wei"].includes(key) && random.chance(0.6))
      return { field, op: random.pick(["gt", "gte", "lt", "lte"]), value: random.pick([0, 2.5, "1"]) };
    const stored = event.properties?.[key];
    const isScalar = stored !== undefined && stored !== null && typeof stored !== "object";
    const value = isScalar ? (stored as string | number | boolean) : propertyText(event, key) || "USDC";
    return makeTextCondition(random, field, value);
  }
  const field = random.pick(TEXTS);
  return makeTextCondition(random, field, shownOf(event, field).slice(0, LONGEST));
}

function makeTextCondition(random: Random, field: string, value: string | number | boolean): OracleFilter {
  const op = random.pick(["eq", "eq", "neq", "in", "nin", "contains", "startsWith", "endsWith", "isEmpty", "notEmpty"]);
  if (op === "isEmpty" || op === "notEmpty") return { field, op };
  if (op !== "in" && op !== "nin") return { field, op, value };
  const list = [String(value), "USDC"];
  // An array holds no value with a bar.
  const isArray = random.chance(0.5) && !list.some((one) => one.includes("|"));
  return { field, op, value: isArray ? list : list.join("|") };
}

function shownOf(event: OracleEvent, field: string): string {
  if (field === "direct") return String(event.referrer === "");
  if (field === "page_path") return event.pathname;
  if (field === "locale" || field === "timezone") return event.context?.[field] ?? "";
  if (field === "referrer" && event.referrer === "") return "Direct";
  return field === "version" ? (event.version ?? "") : textOf(event, field);
}
