import * as contract from "../../contract/analytics-users.ts";
import type { Route } from "../route.ts";
import { report } from "./report-route.ts";

const tag = "Analytics";

const LIFECYCLE =
  "Wallets that are New, Returning, Power user, Resurrected, At Risk or Churned. Every wallet seen up to date_to counts.";

/** The reports that follow users over several events. */
export function userRoutes(): Route[] {
  return [
    report("lifecycle", contract.LifecycleQuery, contract.LifecycleAnswer, {
      operationId: "lifecycle",
      tag,
      summary: "Wallets by how they come and go",
      description: `${LIFECYCLE} The reference day is date_to.`,
    }),
    report("user_lifecycle", contract.LifecycleQuery, contract.LifecycleAnswer, {
      operationId: "userLifecycle",
      tag,
      summary: "Wallets by how they come and go",
      description: "The former name of `lifecycle`.",
    }),
    report("frequency", contract.FrequencyQuery, contract.FrequencyAnswer, {
      operationId: "frequency",
      tag,
      summary: "Wallets by their number of sessions",
      description: "How many wallets had one session, 2 to 10, 11 to 30, 31 to 50 or more in the window.",
    }),
    report("user_frequency", contract.FrequencyQuery, contract.FrequencyAnswer, {
      operationId: "userFrequency",
      tag,
      summary: "Wallets by their number of sessions",
      description: "The former name of `frequency`.",
    }),
    report("retention", contract.RetentionQuery, contract.RetentionAnswer, {
      operationId: "retention",
      tag,
      summary: "Who comes back, week by week",
      description: "Users by the week in which they were first active, and the share of them that was active later.",
    }),
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
