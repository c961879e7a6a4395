import type { Condition } from "../format/condition.ts";
import { behaviourWords, readBehaviours } from "../state/behaviours.ts";
import { isOperator } from "../state/filters.ts";
import { filterWords } from "./filter-words.ts";

/** A condition of a segment, as the chips of filters say it. */
export function conditionWords(condition: Condition): string {
  const behaviours = readBehaviours(condition);
  if (behaviours !== undefined) return behaviours.map(behaviourWords).join(" and ");
  const { field, op, value } = condition;
  const text = Array.isArray(value) ? value.join("|") : typeof value === "string" ? value : JSON.stringify(value ?? "");
  const words = isOperator(op) ? filterWords({ field, op, value: text }) : `${field} ${op} ${text}`;
  return condition.filters === undefined ? words : `${words}, with ${condition.filters.length} more`;
}
