import { revenueDimension } from "../../materialize/rollups.ts";
import { defineByMetric } from "./by-metric.ts";

export const revenueByMetric = defineByMetric({ amount: "revenue", dimensionOf: revenueDimension });
