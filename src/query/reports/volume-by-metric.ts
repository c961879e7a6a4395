import { defineByMetric } from "./by-metric.ts";

export const volumeByMetric = defineByMetric({ amount: "volume" });
