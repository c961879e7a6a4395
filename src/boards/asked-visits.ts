/**
 * Which visits a chart of a report counts: whether those of bots, and those of imported days. As the request says, else as
 * the chart says in its `params`; for bots else as the project is set.
 */
import type { Reports } from "../query/run/ask.ts";
import type { ChartSpec } from "./chart.ts";

export interface AskedVisits {
  readonly bots?: string;
  readonly imported?: boolean;
}

/** The chart as a request asks it. */
export function withVisits<Spec extends ChartSpec>(spec: Spec, { bots, imported }: AskedVisits): Spec {
  if (spec.report === null) return spec;
  const said = { ...(bots === undefined ? {} : { bots }), ...(imported === undefined ? {} : { imported }) };
  return Object.keys(said).length === 0 ? spec : { ...spec, params: { ...spec.params, ...said } };
}

/** Reports that follow `bots` of their parameters, which the routes of reports read before they ask. */
export function withSavedBots(needs: { readonly reports: Reports }): Reports {
  return {
    // Needs are read when a request comes: see CONTRIBUTING.md.
    check: (...args) => needs.reports.check(...args),
    ask({ workspaceId, projects }, name, query, signal, spent) {
      const { bots } = query;
      const counted =
        bots === undefined ? projects : projects.map((project) => ({ ...project, excludeBots: bots === "exclude" }));
      // A value that is neither is refused by the report.
      return needs.reports.ask({ workspaceId, projects: counted }, name, query, signal, spent);
    },
  };
}
