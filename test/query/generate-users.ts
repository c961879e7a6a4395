// Seeded questions about users for oracle-users.ts and oracle-retention.ts.
import type { Random } from "./generate.ts";
import { makeFollowed, type Source } from "./generate-funnel.ts";
import type { OracleFilter } from "./oracle.ts";
import type { RetentionQuery } from "./oracle-retention.ts";
import type { LifecycleQuery, OracleBehaviour, Threshold, UsersQuery } from "./oracle-users.ts";

const SOURCES = ["web", "mobile", "server", "import", "onchain"];
const STAGES = ["New", "Returning", "Power user", "Resurrected", "At Risk", "Churned"];
const CHANNELS = ["Direct", "AI", "Email", "Organic Search", "nope"];

export function generateFrequency(random: Random, source: Source): UsersQuery {
  const makeOne = (field: string, values: readonly string[]): OracleFilter[] => {
    const op = random.pick(["eq", "neq", "in", "nin"]);
    const some = [random.pick(values), random.pick(values)];
    const value = op === "in" || op === "nin" ? random.pick([some, some.join("|")]) : random.pick(values);
    return [{ field, op, value }];
  };
  return {
    ...makeFollowed(random, source),
    ...(random.chance(0.25) ? { behavior_filters: makeBehaviours(random, source) } : {}),
    ...(random.chance(0.15) ? { source_filter: makeOne("source", SOURCES) } : {}),
    ...(random.chance(0.15) ? { channel_filter: makeOne("channel_type", CHANNELS) } : {}),
    ...(random.chance(0.3) ? { stages: makeOne("lifecycle", STAGES) } : {}),
    ...(random.chance(0.4) ? { include_previous_period: true } : {}),
  };
}

const THRESHOLDS: Threshold[] = [
  ...(["new_window_days", "churn_window_days", "power_user_min_active_days", "power_user_window_days"] as const),
  ...(["resurrected_gap_days", "at_risk_min_days_inactive", "at_risk_prior_active_days_threshold"] as const),
];

/** The days of the events are few, so the thresholds are low. */
export function generateLifecycle(random: Random, source: Source): LifecycleQuery {
  const days = Object.fromEntries(
    THRESHOLDS.map((name) => [name, random.pick([1, 1, 2, 2, 3, 4, 5, 30, 90])]),
  ) as LifecycleQuery["days"];
  if (days.at_risk_min_days_inactive >= days.churn_window_days) {
    days.at_risk_min_days_inactive = 1 + random.int(2);
    days.churn_window_days = Math.max(days.churn_window_days, days.at_risk_min_days_inactive + 1);
  }
  return { ...generateFrequency(random, source), days };
}

function makeBehaviours(random: Random, { events, days }: Source): OracleBehaviour[] {
  return Array.from({ length: random.pick([1, 1, 2]) }, () => {
    const { type, event } = random.pick(events);
    const isNamed = (type === "track" || type === "decoded_log") && event !== "" && event.length < 500;
    const known = ["page", "connect", "identify", "transaction", "signature"].includes(type) ? type : "page";
    const [from, to] = [random.pick(days), random.pick(days)].toSorted();
    return {
      event: isNamed ? event : known,
      ...(random.chance(0.5) ? { event_type: isNamed ? type : known } : {}),
      op: random.pick(["gte", "gte", "gt", "lt", "lte", "eq", "neq"]),
      times: random.pick([0, 1, 1, 2, 3]),
      ...(random.chance(0.3) && from !== undefined ? { date_from: from } : {}),
      ...(random.chance(0.3) && to !== undefined ? { date_to: to } : {}),
      ...(random.chance(0.3)
        ? {
            relative_to: "first_seen",
            window: random.pick([
              { value: 12, unit: "hour" },
              { value: 1, unit: "day" },
            ]),
          }
        : {}),
    } as OracleBehaviour;
  });
}

const TOUCH = ["device", "browser", "os", "location", "utm_source", "utm_medium"] as const;

export function generateRetention(random: Random, source: Source): RetentionQuery {
  const { type, event } = random.pick(source.events);
  const isNamed = event !== "" && event.length < 500 && random.chance(0.3);
  const entry = random.pick(source.events);
  const isEntryNamed = entry.event !== "" && entry.event.length < 500;
  return {
    ...makeFollowed(random, source),
    id_type: random.pick(["address", "anonymous_id"]),
    interval: random.pick(["day", "week", "week", "month"]),
    retention_type: random.pick(["rolling", "recurring"]),
    ...(random.chance(0.3) ? { event_type: type } : {}),
    ...(random.chance(0.3) && isNamed ? { event_name: event } : {}),
    ...(random.chance(0.3) ? { entry_type: random.pick([entry.type, entry.type, "any"]) } : {}),
    ...(random.chance(0.2) && isEntryNamed ? { entry_name: entry.event } : {}),
    min_users: random.pick([0, 0, 1, 2, 10]),
    limit: random.pick([1, 2, 12, 52]),
    ...(random.chance(0.3) ? { user_filters: makeUserFilters(random, source) } : {}),
  };
}

function makeUserFilters(random: Random, { events }: Source): OracleFilter[] {
  const event = random.pick(events);
  if (random.chance(0.4))
    return [{ field: random.pick(["volume", "revenue"]), op: random.pick(["gt", "lte", "neq"]), value: event.revenue }];
  const field = random.pick(TOUCH);
  const value = event[field].slice(0, 500);
  return [
    random.pick<OracleFilter>([
      { field, op: "eq", value },
      { field, op: "neq", value },
      { field, op: "notEmpty" },
    ]),
  ];
}
