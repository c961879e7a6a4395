/** Reports of an amount of events (revenue, volume) by a column. */
import { REVENUE_COLUMNS } from "../../contract/metric-columns.ts";
import { ROLLED_UP_MONEY, revenueValue, shownValue } from "../../materialize/columns.ts";
import { isPlain, ofRevenue, readEventConditions } from "../report/conditions.ts";
import { readParts, toCtes } from "../report/parts.ts";
import type { Report } from "../report/report.ts";
import { defineTop, keptValues } from "./top.ts";

const PLAIN = readParts("amounts_by_metric");
const FILTERED = readParts("amounts_by_metric_filtered");

export interface ByMetric {
  /** The column of events, and of rollups. */
  readonly amount: "revenue" | "volume";
  /** The dimension of rollups that holds a column. */
  dimensionOf(column: string): string;
}

export function defineByMetric({ amount, dimensionOf }: ByMetric): Report {
  return defineTop({
    columns: REVENUE_COLUMNS,
    measures: [{ name: `sum_${amount}`, type: "Float64", from: "sum_amount" }],
    plan(column, context) {
      const texts = {
        value: shownValue(column, revenueValue(column)),
        amount: `e.${amount}`,
        kept: keptValues(column),
      };
      const conditions = readEventConditions(context, ofRevenue);
      if (isPlain(context) && ROLLED_UP_MONEY.includes(column)) {
        const ofPlain = { ...texts, bots: conditions.texts.bots, rollup_amount: `r.${amount}` };
        return {
          ctes: toCtes(PLAIN, ["clean", "dirty", "counts"], ofPlain),
          params: { dimension: dimensionOf(column) },
        };
      }
      const ctes = toCtes(FILTERED, ["counts"], { ...conditions.texts, ...texts });
      return { ctes: [...conditions.ctes, ...ctes], params: conditions.params };
    },
  });
}
