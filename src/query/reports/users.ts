/** The users that a report counts, after its filters, and their sessions. */
import type { Cte } from "../../engines/relations.ts";
import { fillSql, placesOf } from "../../lib/sql.ts";
import { type Behaviour, behaviourCount } from "../filters/behaviours.ts";
import { type Clause, conditionClause, joinClauses } from "../filters/condition.ts";
import type { Condition } from "../filters/filters.ts";
import { ofSession, readConditions } from "../report/conditions.ts";
import { readParts } from "../report/parts.ts";
import type { ReportContext } from "../report/report.ts";

const PARTS = readParts("users");

/** How a user is found in sessions and events. */
interface Identity {
  readonly user_of_session: string;
  readonly has_user: string;
  readonly user_of_event: string;
  readonly is_users: string;
}

export const WALLETS: Identity = {
  user_of_session: "arrayJoin(v.addresses)",
  has_user: "notEmpty(v.addresses)",
  user_of_event: "e.address",
  is_users: "e.address != ''",
};
export const VISITORS: Identity = {
  user_of_session: "v.visitor",
  has_user: "1 = 1",
  user_of_event: "e.visitor",
  is_users: "1 = 1",
};

/** The days in which users are looked for, as expressions. */
export interface Period {
  readonly from: string;
  readonly to: string;
  /** Ends the names of its relations. */
  readonly suffix: string;
}

/** Beside the filters that all reports have. */
export interface UserFilters {
  readonly behaviours: readonly Behaviour[];
  /** A condition on session `v`. */
  readonly ofSession: Clause;
  /** A condition on event `e`. */
  readonly ofEvent: Clause;
  /** The numbers of the wanted stages (stages.ts); undefined: all. */
  readonly stages: readonly number[] | undefined;
}

export const NO_USER_FILTERS: UserFilters = {
  behaviours: [],
  ofSession: joinClauses([]),
  ofEvent: joinClauses([]),
  stages: undefined,
};

export interface Users {
  readonly ctes: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
  /** A relation of project_id, user_key, day and session, one row or more for each session of a user. */
  readonly visits: string;
}

const MONEY = ["revenue", "volume", "points"] as const;

/**
 * A filter chooses users by any of their sessions in the period, and by the sums of their events in it. All of a chosen
 * user's sessions count.
 */
export function findUsers(identity: Identity, filters: UserFilters, context: ReportContext, period: Period): Users {
  const { suffix } = period;
  const ofMoney = context.conditions.filter(isMoney);
  const others = context.conditions.filter((condition) => !isMoney(condition));
  const { texts, params, hasEvents } = readConditions({ ...context, conditions: others }, ofSession);
  const event = joinClauses([{ sql: texts.event_filter, params }, filters.ofEvent]);
  const readsEvents = hasEvents || filters.ofEvent.sql !== TRUE;
  const readsSessions = readsEvents || texts.session_filter !== TRUE || filters.ofSession.sql !== TRUE;
  const common: Record<string, string> = {
    ...identity,
    from_day: period.from,
    to_day: period.to,
    bots: texts.bots,
    session_filter: joinClauses([{ sql: texts.session_filter, params: {} }, filters.ofSession]).sql,
    event_filter: event.sql,
    is_matching: readsEvents
      ? `(v.project_id, v.session) IN (SELECT project_id, session FROM matching${suffix})`
      : TRUE,
    is_person: context.leavesBotsOut
      ? `(e.project_id, e.session) IN (SELECT project_id, session FROM people${suffix})`
      : TRUE,
    first_events: `first_events${suffix}`,
    visits: `visits${suffix}`,
  };
  const deeds = sumDeeds(ofMoney, filters.behaviours, period);
  const chosenBy = [...(readsSessions ? ["found"] : []), ...(deeds === undefined ? [] : ["deeds"])];
  const names = [
    "visits",
    ...(readsEvents ? ["matching"] : []),
    ...(readsSessions ? ["found"] : []),
    ...(deeds === undefined ? [] : [...(context.leavesBotsOut ? ["people"] : []), "first_events", "deeds"]),
    ...(chosenBy.length === 0 ? [] : ["chosen"]),
  ];
  const isChosen = chosenBy.map(
    (name) => `(project_id, user_key) IN (SELECT project_id, user_key FROM ${name}${suffix})`,
  );
  const filled = { ...common, ...deeds?.texts, is_chosen: isChosen.join(" AND ") };
  return {
    ctes: names.map((name) => ({ name: `${name}${suffix}`, sql: fill(name, filled) })),
    params: { ...params, ...filters.ofSession.params, ...filters.ofEvent.params, ...deeds?.params },
    visits: chosenBy.length === 0 ? `visits${suffix}` : `chosen${suffix}`,
  };
}

const TRUE = "1 = 1";

function isMoney({ field }: Condition): boolean {
  return (MONEY as readonly string[]).includes(field);
}

function fill(name: string, texts: Readonly<Record<string, string>>): string {
  const sql = PARTS(name);
  const places = placesOf(sql);
  return fillSql(sql, Object.fromEntries(Object.entries(texts).filter(([place]) => places.has(place))));
}

interface Deeds {
  readonly texts: { readonly measures: string; readonly deeds_filter: string };
  readonly params: Readonly<Record<string, unknown>>;
}

/** Sums are in billionths, so that they are exact in any order. */
function sumDeeds(ofMoney: readonly Condition[], behaviours: readonly Behaviour[], period: Period): Deeds | undefined {
  if (ofMoney.length === 0 && behaviours.length === 0) return undefined;
  const counts = behaviours.map((behaviour, index) => behaviourCount(behaviour, `behaviour${index}`));
  const fields = MONEY.filter((field) => ofMoney.some((condition) => condition.field === field));
  const measures = [
    ...fields.map(
      (field) =>
        `toFloat64(sumIf(toInt128(floor(e.${field} * 1e9 + 0.5)), e.day >= ${period.from})) / 1e9 AS sum_${field}`,
    ),
    ...counts.map(({ sql }, index) => `${sql} AS n_${index}`),
  ];
  const conditions = [
    ...ofMoney.map((condition, index) => conditionClause(condition, `sum_${condition.field}`, `money${index}`)),
    ...behaviours.map(({ op, times }, index) => ({
      sql: op.sql(`n_${index}`, `{times${index}:UInt64}`),
      params: { [`times${index}`]: times },
    })),
  ];
  return {
    texts: { measures: measures.join(",\n        "), deeds_filter: joinClauses(conditions).sql },
    params: joinClauses([...counts, ...conditions]).params,
  };
}
