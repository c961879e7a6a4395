/** How many events met conditions on their own columns, day by day. The conditions are those of alerts: exact texts. */
import { readWindowParts, toCtes } from "../report/parts.ts";
import { defineReport, type Report } from "../report/report.ts";
import { personTerms } from "./wallet-moments.ts";

const PARTS = readWindowParts(new URL("./windows.sql", import.meta.url));

const MATCHED_COLUMNS = [
  "type",
  "event",
  "address",
  "user_id",
  "anonymous_id",
  "location",
  "device",
  "browser",
  "os",
  "referrer",
  "channel",
] as const;

const OPERATORS = {
  equals: (column: string, value: string) => `${column} = ${value}`,
  notEquals: (column: string, value: string) => `${column} != ${value}`,
  contains: (column: string, value: string) => `position(${value} IN ${column}) > 0`,
  startsWith: (column: string, value: string) => `startsWith(${column}, ${value})`,
  endsWith: (column: string, value: string) => `endsWith(${column}, ${value})`,
} as const;

export interface ColumnCondition {
  readonly column: (typeof MATCHED_COLUMNS)[number];
  readonly op: keyof typeof OPERATORS;
  readonly value: string;
}

/** Rows with `date` and `matches`, of the days that have any. */
export function matchesByDay(conditions: readonly ColumnCondition[]): Report {
  const terms = conditions.map(({ column, op, value }, nth) => {
    // Every text contains the empty one; the engines do not agree on where.
    if (value === "" && op !== "equals" && op !== "notEquals") return "1 = 1";
    return OPERATORS[op](`e.${column}`, `{m${nth}:String}`);
  });
  return defineReport({
    read: () => undefined,
    plan(_own, context) {
      const matched = ["1 = 1", ...personTerms(context), ...terms].join(" AND ");
      const [cte] = toCtes(PARTS, ["matching_days"], { matched });
      return {
        ctes: [{ name: "counts", sql: cte?.sql ?? "" }],
        params: Object.fromEntries(conditions.map(({ value }, nth) => [`m${nth}`, value])),
        columns: [
          { name: "date", type: "Date", from: "matched_day" },
          { name: "matches", type: "Float64", from: "n" },
        ],
        order: ["matched_day"],
      };
    },
  });
}
