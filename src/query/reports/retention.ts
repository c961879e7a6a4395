import type { FieldName } from "../../contract/filter-fields.ts";
import { ANY_ENTRY, type CohortInterval, RETENTION_LIMITS } from "../../contract/retention.ts";
import { fillSql } from "../../lib/sql.ts";
import { dayIn } from "../../lib/time-zones.ts";
import {
  type Condition as AnyCondition,
  type Clause,
  conditionClause,
  type Failures,
  joinClauses,
  readConditionList,
  type Terms,
} from "../filters/condition.ts";
import type { Condition } from "../filters/filters.ts";
import { findJson } from "../filters/json.ts";
import { ofSession, readConditions } from "../report/conditions.ts";
import { readParts, toCtes } from "../report/parts.ts";
import { defineReport } from "../report/report.ts";
import { clampDay, FIRST_DAY } from "../report/window.ts";
import { PERIODS } from "./cohort-periods.ts";
import { retentionRows } from "./retention-rows.ts";
import { findUsers, NO_USER_FILTERS, VISITORS, WALLETS } from "./users.ts";

const PARTS = readParts("retention");
const COLUMNS = [
  { name: "project_id", type: "String" },
  { name: "kind", type: "String" },
  { name: "period", type: "UInt64" },
  { name: "nth", type: "UInt64" },
  { name: "n_users", type: "UInt64" },
] as const;

interface Own {
  readonly identity: typeof WALLETS;
  readonly interval: CohortInterval;
  readonly isRolling: boolean;
  readonly eventType: string;
  readonly eventName: string;
  /** Of the events that begin a cohort; both empty: activity does. */
  readonly entryType: string;
  readonly entryName: string;
  readonly minUsers: number;
  readonly cohorts: number;
  /** On the first touch of a user's first session. */
  readonly ofTouch: readonly AnyCondition[];
  /** On the sums of a user's events. */
  readonly ofSums: readonly Condition[];
}

export const retention = defineReport<Own>({
  read(query, failures) {
    const { id_type, event_type, event_name, entry_type, entry_name } = query;
    const { min_users, limit, user_filters, retention_type, interval } = query;
    const filters = readUserFilters(user_filters, failures);
    const text = (value: unknown) => (typeof value === "string" ? value : "");
    return {
      identity: id_type === "anonymous_id" ? VISITORS : WALLETS,
      interval: (interval ?? "week") as CohortInterval,
      isRolling: retention_type !== "recurring",
      eventType: text(event_type),
      eventName: text(event_name),
      entryType: text(entry_type),
      entryName: text(entry_name),
      minUsers: filters.length > 0 ? 0 : Number(min_users ?? RETENTION_LIMITS.minUsers),
      cohorts: limit ?? RETENTION_LIMITS.cohorts.default,
      ofTouch: filters.filter(({ kind }) => kind === "text"),
      ofSums: filters.filter(({ kind }) => kind === "number") as Condition[],
    };
  },
  /** A user may have been active first on any day. */
  reach: (_own, { lastDay }) => ({ firstDay: FIRST_DAY, lastDay }),
  defaultFrom: ({ cohorts, interval }, lastDay) =>
    clampDay(PERIODS[interval].dayOf(PERIODS[interval].numberOf(lastDay) - (cohorts - 1))),
  plan(own, context) {
    const { identity, isRolling, interval } = own;
    const conditions = [...context.conditions, ...own.ofSums];
    const users = findUsers(
      identity,
      NO_USER_FILTERS,
      { ...context, conditions },
      {
        from: "{beginning:Date}",
        to: "{last_day:Date}",
        suffix: "",
      },
    );
    const act = eventClause("event", own.eventType, own.eventName);
    const acted = act === undefined ? users.visits : "acts";
    const { ctes: entries, clause: entry, entered } = findEntries(own, users.visits);
    const activity = entered === undefined ? acted : "since_entry";
    const { names, clause } = introduce(own);
    const ctes = toCtes(
      PARTS,
      [...(act === undefined ? [] : ["acts"]), ...entries, ...names, "newcomers", ...(isRolling ? [] : ["returns"])],
      {
        ...identity,
        visits: users.visits,
        activity,
        acted,
        entered: entered ?? "",
        is_act: act?.sql ?? "",
        is_entry: entry?.sql ?? "",
        touch: `[${TOUCH.map((field) => `v.${field}`).join(", ")}]`,
        bots: readConditions({ ...context, conditions: [] }, ofSession).texts.bots,
        is_introduced: clause.sql,
        first_period: PERIODS[interval].ofDay("first_seen"),
        last_period: PERIODS[interval].ofDay("last_seen"),
        period_of_act: PERIODS[interval].ofDay("a.day"),
      },
    );
    const counts = fillSql(PARTS(isRolling ? "rolling_counts" : "recurring_counts"), {});
    return {
      ctes: [...users.ctes, ...ctes, { name: "counts", sql: counts }],
      params: { ...users.params, ...act?.params, ...entry?.params, ...clause.params, beginning: FIRST_DAY },
      columns: COLUMNS,
      order: ["project_id", "kind", "period", "nth"],
      finish: retentionRows({
        projects: context.projects,
        interval,
        isRolling,
        minUsers: own.minUsers,
        cohorts: own.cohorts,
        lastDay: earlier(context.window.lastDay, dayIn(context.zone, context.nowMs)),
      }),
    };
  },
});

/** Of the window's days those after today have not come yet. */
function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

/** Events of a type, of a name, or both. Undefined: of any. */
function eventClause(prefix: "event" | "entry", type: string, name: string): Clause | undefined {
  const clauses: Clause[] = [
    ...(type === "" ? [] : [{ sql: `e.type = {${prefix}_type:String}`, params: { [`${prefix}_type`]: type } }]),
    ...(name === "" ? [] : [{ sql: `e.event = {${prefix}_name:String}`, params: { [`${prefix}_name`]: name } }]),
  ];
  return clauses.length === 0 ? undefined : joinClauses(clauses);
}

interface Entries {
  readonly ctes: readonly string[];
  readonly clause?: Clause | undefined;
  /** The relation whose first day begins a cohort. Undefined: that of activity. */
  readonly entered?: string;
}

function findEntries({ entryType, entryName }: Own, visits: string): Entries {
  const isAny = entryType === ANY_ENTRY;
  if (isAny && entryName === "") return { ctes: ["entries", "since_entry"], entered: visits };
  const clause = eventClause("entry", isAny ? "" : entryType, entryName);
  if (clause === undefined) return { ctes: [] };
  return { ctes: ["entry_acts", "entries", "since_entry"], clause, entered: "entry_acts" };
}

const TOUCH = [
  ...(["device", "browser", "os", "location"] as const),
  ...(["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const),
] satisfies FieldName[];
const SUMS = ["volume", "revenue", "points"] as const satisfies FieldName[];

const TERMS: Terms<string> = {
  kindOf(field) {
    if ((TOUCH as string[]).includes(field)) return "text";
    return (SUMS as readonly string[]).includes(field) ? "number" : undefined;
  },
  about: `must be one of ${[...TOUCH, ...SUMS].join(", ")}`,
};

/** Older requests name the field `operand` and the operator `operator`. */
function readUserFilters(text: unknown, failures: Failures): AnyCondition[] {
  if (text === undefined || text === "") return [];
  const list = typeof text === "string" ? findJson(text) : undefined;
  const current = Array.isArray(list) ? list.map(renameOlder) : list;
  return readConditionList(current, "query.user_filters", failures, TERMS);
}

function renameOlder(item: unknown): unknown {
  if (typeof item !== "object" || item === null || !("operand" in item)) return item;
  const { operand, operator, ...rest } = item as Record<string, unknown>;
  return { ...rest, field: operand, op: operator };
}

function introduce({ ofTouch }: Own): { names: string[]; clause: Clause } {
  if (ofTouch.length === 0) return { names: [], clause: joinClauses([]) };
  const { sql, params } = joinClauses(
    ofTouch.map((condition, index) => {
      const place = (TOUCH as string[]).indexOf(condition.field) + 1;
      return conditionClause(condition, `first_touch[${place}]`, `touch${index}`);
    }),
  );
  const isIntroduced = `(project_id, user_key) IN (SELECT project_id, user_key FROM introduced WHERE ${sql})`;
  return { names: ["introduced"], clause: { sql: isIntroduced, params } };
}
