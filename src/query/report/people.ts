/**
 * People who have done something so often, as relations of a statement and as a condition on events. They are conditions
 * on events, because a session may hold events of two visitors: of a report of events those of the people count, and of
 * a report of sessions the sessions with such an event.
 */
import type { Cte } from "../../engines/relations.ts";
import { fillSql } from "../../lib/sql.ts";
import { addDays, dayOf } from "../../lib/time.ts";
import { startOfDay, UTC } from "../../lib/time-zones.ts";
import { type Clause, joinClauses } from "../filters/condition.ts";
import { buildEventClause, isNamedEvent } from "../filters/event-terms.ts";
import type { Filters } from "../filters/filters.ts";
import type { PersonBehaviour } from "../filters/people.ts";
import { markOf, stepClauses } from "../filters/steps.ts";
import { readWindowParts } from "./parts.ts";
import { clampDay, type Days, FIRST_DAY, hullOf, windowOf } from "./window.ts";

const PEOPLE = readWindowParts(new URL("./people.sql", import.meta.url))("people");

type People = Filters["people"];

const RELATION = "counted_people";

/** The same people for statements that read UTC days: days of a zone become moments. */
export function inMoments(people: People, zone: string): People {
  if (zone === UTC) return people;
  return people.map((behaviour) => {
    const { firstDay, lastDay } = daysOf(behaviour);
    const after = startOfDay(zone, firstDay) - 1;
    const until = startOfDay(zone, addDays(lastDay, 1)) - 1;
    const [since, now] = behaviour.between ?? [after, until];
    const between = [Math.max(after, since), Math.min(until, now)] as const;
    const [from, to] = between.map((ms) => clampDay(dayOf(Math.max(0, ms))));
    return { ...behaviour, from, to, between };
  });
}

export interface PeoplePlan {
  /** The days that they read; undefined without any. */
  readonly days: Days | undefined;
  readonly ctes: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
}

export function planPeople(people: People): PeoplePlan {
  const named = people.map((behaviour, at) => ({ ...behaviour, name: `person${at}`, days: daysOf(behaviour) }));
  const [first, ...others] = named.map(({ days }) => days);
  if (first === undefined) return { days: undefined, ctes: [], params: {} };
  const days = others.reduce((hull, each) => hullOf(hull, each), first);
  const { cte, params } = countDeeds(named);
  return { days, ctes: [cte], params: { people_from: days.firstDay, people_to: days.lastDay, ...params } };
}

/** The condition on event `e`, and that its visitor is one of the people. */
export function withPeople(event: Clause, people: People): Clause {
  if (people.length === 0) return event;
  const is = isAboutThose(people) ? "IN" : "NOT IN";
  const sql = `(e.project_id, e.visitor) ${is} (SELECT project_id, visitor FROM ${RELATION})`;
  return joinClauses([event, { sql, params: {} }]);
}

/**
 * A visitor without any of the events is in no group of them. If a behaviour needs an event, every person has a group,
 * which meets all behaviours; otherwise the relation has those who break one. Either way the events are read once.
 */
function isAboutThose(people: People): boolean {
  return people.some(({ allowsNone }) => !allowsNone);
}

/** A day that no event can have, for days that no engine can store. */
const NO_DAYS: Days = { firstDay: FIRST_DAY, lastDay: FIRST_DAY };
const LAST = "9999-12-31";

function daysOf({ from = FIRST_DAY, to = LAST }: PersonBehaviour): Days {
  return windowOf(from, to) ?? NO_DAYS;
}

type NamedBehaviour = PersonBehaviour & { readonly name: string; readonly days: Days };

function countDeeds(behaviours: readonly NamedBehaviour[]): {
  cte: Cte;
  params: Readonly<Record<string, unknown>>;
} {
  const marks = behaviours.map((behaviour) => {
    const { sql, params } = markOf([...timeOf(behaviour), ...eventOf(behaviour)]);
    return { sql: `${sql} AS is_${behaviour.name}`, params };
  });
  const met = behaviours.map(({ name, op, times }) => ({
    sql: op.sql(`sum(is_${name})`, `{${name}_times:UInt64}`),
    params: { [`${name}_times`]: times },
  }));
  const sql = fillSql(PEOPLE, {
    marks: marks.map((mark) => mark.sql).join(",\n        "),
    is_counted: `(${behaviours.map(isLikely).join(" OR ")})`,
    is_listed: isAboutThose(behaviours) ? joinClauses(met).sql : met.map((one) => `NOT (${one.sql})`).join(" OR "),
  });
  return { cte: { name: RELATION, sql }, params: joinClauses([...marks, ...met]).params };
}

function eventOf({ name, type, event, conditions }: NamedBehaviour): Clause[] {
  if (type !== undefined) return stepClauses({ type, ...(event === undefined ? {} : { event }), conditions }, name);
  return [
    { sql: isNamedEvent("e"), params: {} },
    { sql: `e.event = {${name}_event:String}`, params: { [`${name}_event`]: event } },
    ...(conditions.length === 0 ? [] : [buildEventClause(conditions, `${name}_`)]),
  ];
}

/** What the engine may skip other events by. */
function isLikely({ name, type }: NamedBehaviour): string {
  return type === undefined ? `e.event = {${name}_event:String}` : `e.type = {${name}_type:String}`;
}

function timeOf({ name, days, between }: NamedBehaviour): Clause[] {
  const ofDays = {
    sql: `e.day BETWEEN {${name}_from:Date} AND {${name}_to:Date}`,
    params: { [`${name}_from`]: days.firstDay, [`${name}_to`]: days.lastDay },
  };
  if (between === undefined) return [ofDays];
  const at = (key: string) => `fromUnixTimestamp64Milli({${name}_${key}:Int64})`;
  const moments = {
    sql: `e.timestamp > ${at("after_ms")} AND e.timestamp <= ${at("until_ms")}`,
    params: { [`${name}_after_ms`]: between[0], [`${name}_until_ms`]: between[1] },
  };
  return [ofDays, moments];
}
