import { withSavedBots } from "../../boards/asked-visits.ts";
import { type ChartNeeds, createRunCharts } from "../../boards/run-charts.ts";
import type { Route } from "../../http/route.ts";
import { type BoardNeeds, boardRoutes } from "./boards.ts";
import { chartRoutes } from "./charts.ts";
import { type LinkNeeds, linkRoutes } from "./links.ts";
import { type SharedNeeds, sharedRoutes } from "./shared.ts";

/** One table, because members and people with a link share the answers of charts. */
export function allBoardRoutes(needs: ChartNeeds & BoardNeeds & LinkNeeds & SharedNeeds): Route[] {
  const charts = createRunCharts({ ...needs, reports: withSavedBots(needs) });
  return [...boardRoutes(needs), ...chartRoutes(charts), ...linkRoutes(needs), ...sharedRoutes(needs, charts)];
}
