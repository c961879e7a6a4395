/**
 * The filters of the reports about wallets: `behavior_filters`, `source_filter`, `channel_filter`, and conditions on
 * the field `lifecycle` in `filters`.
 */
import type { ReportQuery } from "../../contract/analytics.ts";
import { STAGES } from "../../contract/lifecycle.ts";
import { readBehaviours } from "../filters/behaviours.ts";
import {
  type Clause,
  conditionClause,
  type Failures,
  findSpelling,
  joinClauses,
  readConditionList,
  type Terms,
} from "../filters/condition.ts";
import { findOperator } from "../filters/filter-terms.ts";
import { PATH, SEGMENT_PATH } from "../filters/filters.ts";
import { findJson } from "../filters/json.ts";
import type { UserFilters } from "./users.ts";

const NO_PROFILES = "is no longer supported, and there are no wallet profiles to filter by";
/** Parameters of the hosted service before `filters` replaced them. */
const RETIRED: Readonly<Record<string, string>> = {
  socials: NO_PROFILES,
  chain_filters: NO_PROFILES,
  app_filters: NO_PROFILES,
  token_filters: NO_PROFILES,
  label_filters: NO_PROFILES,
  profile_filters: "is no longer supported: use filters",
  lifecycle_filter: "is no longer supported: use filters with the field lifecycle",
};
const OPERATORS = ["eq", "neq", "in", "nin", "equals", "notEquals", "notIn"];

export function readUserFilters(query: ReportQuery, failures: Failures, segment: readonly unknown[]): UserFilters {
  for (const [name, why] of Object.entries(RETIRED)) if (query[name] !== undefined) failures.set(`query.${name}`, why);
  return {
    behaviours: readBehaviours(query.behavior_filters, failures),
    ofEvent: readOne(query, { name: "source_filter", field: "source", column: "e.channel" }, failures),
    ofSession: readOne(query, { name: "channel_filter", field: "channel_type", column: "v.channel" }, failures),
    stages: readStages(query.filters, segment, failures),
  };
}

/** The field of `filters` that reports about wallets have, beside those of all reports. */
export const STAGE_FIELD = "lifecycle";

const STAGE_TERMS: Terms<string> = {
  kindOf: () => "text",
  about: `must be ${STAGE_FIELD}`,
  operators: OPERATORS,
  values: STAGES,
  operandOf: (_field, text) => findSpelling(STAGES, text) ?? text,
  skips: (field) => field !== STAGE_FIELD,
};

/** The numbers of the stages that meet all conditions; undefined: there is no condition. */
function readStages(text: unknown, segment: readonly unknown[], failures: Failures): number[] | undefined {
  const list = typeof text === "string" ? findJson(text) : undefined;
  // What is not a list is refused where the other fields are read.
  const own = Array.isArray(list) ? readStageList(list, PATH, failures) : [];
  const conditions = [...own, ...readStageList(segment, SEGMENT_PATH, failures)];
  if (conditions.length === 0) return undefined;
  const meets = (stage: string) =>
    conditions.every(({ op, values }) => values.includes(stage) !== NEGATIVE.includes(op));
  return STAGES.flatMap((stage, at) => (meets(stage) ? [at + 1] : []));
}

/** The conditions on the stage, as a segment or a query has them among others. */
export function readStageList(list: readonly unknown[], path: string, failures: Failures) {
  const own = list.map((item) => (isStageCondition(item) ? item : { field: "" }));
  return readConditionList(own, path, failures, STAGE_TERMS);
}

const NEGATIVE = ["neq", "nin"].map(findOperator);

export function isStageCondition(item: unknown): boolean {
  return typeof item === "object" && item !== null && (item as { field?: unknown }).field === STAGE_FIELD;
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
