import { REVENUE_COLUMNS } from "../../contract/metric-columns.ts";
import { revenueValue, shownValue } from "../../materialize/columns.ts";
import { revenueDimension } from "../../materialize/rollups.ts";
import { isPlain, ofRevenue, readConditions } from "../conditions.ts";
import { readParts, toCtes } from "../parts.ts";
import { defineTop } from "./top.ts";

const PLAIN = readParts("revenue_by_metric");
const FILTERED = readParts("revenue_by_metric_filtered");

export const revenueByMetric = defineTop({
  columns: REVENUE_COLUMNS,
  measures: [{ name: "sum_revenue", type: "Float64" }],
  ask(column, asking) {
    const value = shownValue(column, revenueValue(column));
    if (isPlain(asking))
      return {
        ctes: toCtes(PLAIN, ["clean", "dirty", "counts"], { value }),
        params: { dimension: revenueDimension(column) },
      };
    const { texts, params } = readConditions(asking, ofRevenue);
    return { ctes: toCtes(FILTERED, ["counts"], { ...texts, value }), params };
  },
});
