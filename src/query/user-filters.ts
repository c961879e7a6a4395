/** The filters of the reports about wallets: `behavior_filters`, `source_filter`, `channel_filter`. */
import type { ReportQuery } from "../contract/analytics.ts";
import { readBehaviours } from "./behaviours.ts";
import {
  type Clause,
  conditionClause,
  type Failures,
  joinClauses,
  readConditionList,
  type Terms,
} from "./condition.ts";
import { findJson } from "./filters.ts";
import type { UserFilters } from "./reports/users.ts";

/** Parameters of the hosted service before `filters` replaced them. */
const RETIRED = [
  ...["socials", "chain_filters", "app_filters", "token_filters"],
  ...["label_filters", "profile_filters", "lifecycle_filter"],
];
const OPERATORS = ["eq", "neq", "in", "nin", "equals", "notEquals", "notIn"];

export function readUserFilters(query: ReportQuery, failures: Failures): UserFilters {
  for (const name of RETIRED)
    if (query[name] !== undefined) failures.set(`query.${name}`, "is no longer supported: use filters");
  return {
    behaviours: readBehaviours(query.behavior_filters, failures),
    ofEvent: readOne(query, { name: "source_filter", field: "source", column: "e.channel" }, failures),
    ofSession: readOne(query, { name: "channel_filter", field: "channel_type", column: "v.channel" }, failures),
  };
}

interface OneField {
  readonly name: string;
  readonly field: string;
  readonly column: string;
}

/** A list of conditions on one field, or in older requests an object of op and value. */
function readOne(query: ReportQuery, { name, field, column }: OneField, failures: Failures): Clause {
  const text = query[name];
  if (text === undefined || text === "") return joinClauses([]);
  const given = typeof text === "string" ? findJson(text) : undefined;
  const path = `query.${name}`;
  if (typeof given !== "object" || given === null) {
    failures.set(path, "must be a JSON array of conditions, or an object of op and value");
    return joinClauses([]);
  }
  const terms: Terms<string> = {
    kindOf: (each) => (each === field ? "text" : undefined),
    about: `must be ${field}`,
    operators: OPERATORS,
  };
  const list = Array.isArray(given) ? given : [{ field, ...given }];
  const conditions = readConditionList(list, path, failures, terms);
  return joinClauses(conditions.map((condition, index) => conditionClause(condition, column, `${field}${index}`)));
}
