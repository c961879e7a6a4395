/**
 * Whether bots count in a chart of a report: as the request says, else as the chart says in `params.bots`, else as the
 * project is set. The routes of reports read the same parameter before they ask.
 */
import type { Reports } from "../query/run/ask.ts";
import type { ChartSpec } from "./chart.ts";

/** The chart as a request with `bots` asks it. */
export function withBots<Spec extends ChartSpec>(spec: Spec, bots: string | undefined): Spec {
  return bots === undefined || spec.report === null ? spec : { ...spec, params: { ...spec.params, bots } };
}

/** Reports that follow `bots` of their parameters. A value that is neither is refused by the report. */
export function withSavedBots(needs: { readonly reports: Reports }): Reports {
  return {
    // Needs are read when a request comes: see CONTRIBUTING.md.
    check: (...args) => needs.reports.check(...args),
    ask({ workspaceId, projects }, name, query, signal, spent) {
      const { bots } = query;
      const counted =
        bots === undefined ? projects : projects.map((project) => ({ ...project, excludeBots: bots === "exclude" }));
      return needs.reports.ask({ workspaceId, projects: counted }, name, query, signal, spent);
    },
  };
}
