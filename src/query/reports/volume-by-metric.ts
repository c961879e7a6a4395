import { volumeDimension } from "../../materialize/rollups.ts";
import { defineByMetric } from "./by-metric.ts";

export const volumeByMetric = defineByMetric({ amount: "volume", dimensionOf: volumeDimension });
