import { valueName } from "../format/names.ts";
import { type Filter, fieldLabel, OPERATORS, takesValue } from "../state/filters.ts";

export function filterWords({ field, op, value }: Filter): string {
  const label = fieldLabel(field);
  if (!takesValue(op)) return `${label} ${OPERATORS[op]}`;
  const values = op === "in" || op === "nin" ? value.split("|") : [value];
  return `${label} ${OPERATORS[op]} ${values.map((one) => valueName(field, one)).join(", ")}`;
}
