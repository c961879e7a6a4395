import * as contract from "../../contract/analytics-users.ts";
import type { Route } from "../route.ts";
import { report } from "./report-route.ts";

const tag = "Analytics";

/** The reports that follow users over several events. */
export function userRoutes(): Route[] {
  return [
    report("funnel", contract.FunnelQuery, contract.FunnelAnswer, {
      operationId: "funnel",
      tag,
      summary: "Conversion through steps",
      description:
        "How many visitors reach each of 2 to 10 steps, and how long they take. All projects that the key sees count together, each visitor in their own project.",
    }),
    report("flow", contract.FlowQuery, contract.FlowAnswer, {
      operationId: "flow",
      tag,
      summary: "Paths after an event",
      description:
        "What people do in a session after an event, as transitions between pages and events, step by step. All projects that the key sees count together.",
    }),
  ];
}
