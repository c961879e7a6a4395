/**
 * THE list of charts: type -> what it needs, how rows become a drawing and a table, its component. Pages draw them with
 * `panels/report-panel.tsx`. A new chart is a kind in `kinds/`, a component and a line here. Components that the first
 * screen does not draw lie in `later/` and are loaded when they are drawn.
 */
import { type ComponentProps, type ComponentType, lazy } from "react";
import { DataTable } from "../ui/data-table.tsx";
import { FunnelStrip } from "./funnel-strip.tsx";
import { HeatTable } from "./heat-table.tsx";
import { COHORTS_KIND, CURVE_KIND } from "./kinds/cohorts.ts";
import { AREA_KIND, BAR_KIND, LINE_KIND, NUMBER_KIND, PIE_KIND, STACKED_KIND, TABLE_KIND } from "./kinds/columns.ts";
import { CONVERSIONS_KIND } from "./kinds/conversions.ts";
import { FLOW_KIND } from "./kinds/flow.ts";
import { FUNNEL_KIND } from "./kinds/funnel.ts";
import { FUNNEL_GROUPS_KIND } from "./kinds/funnel-groups.ts";
import { HOURS_KIND } from "./kinds/hours.ts";
import type { ChartKind, ChartSpecOf, DrawnSpecOf } from "./kinds/kind.ts";
import { MINUTES_KIND } from "./kinds/minutes.ts";
import { MOVERS_KIND } from "./kinds/movers.ts";
import { OUTCOMES_KIND } from "./kinds/outcomes.ts";
import { MAP_KIND, RANKED_KIND } from "./kinds/ranked.ts";
import { SEGMENTS_KIND } from "./kinds/segments.ts";
import { TREND_KIND } from "./kinds/trend.ts";
import { MoverLists } from "./mover-lists.tsx";
import type { CHART_NAMES } from "./names.ts";
import { RankedBars } from "./ranked-bars.tsx";
import { RetentionTable } from "./retention-table.tsx";
import { TimeChart } from "./time-chart.tsx";

const BarChart = lazy(async () => ({ default: (await import("./later/bar-chart.tsx")).BarChart }));
const FlowChart = lazy(async () => ({ default: (await import("./later/flow-chart.tsx")).FlowChart }));
const FunnelGroups = lazy(async () => ({ default: (await import("./later/funnel-groups.tsx")).FunnelGroups }));
const NumberCard = lazy(async () => ({ default: (await import("./later/number-card.tsx")).NumberCard }));
const OutcomeBars = lazy(async () => ({ default: (await import("./later/outcome-bars.tsx")).OutcomeBars }));
const PieChart = lazy(async () => ({ default: (await import("./later/pie-chart.tsx")).PieChart }));
const SeriesChart = lazy(async () => ({ default: (await import("./later/series-chart.tsx")).SeriesChart }));
const WorldMap = lazy(async () => ({ default: (await import("../map/world-map.tsx")).WorldMap }));

export const CHARTS = {
  hours: { ...HOURS_KIND, Chart: HeatTable },
  cohorts: { ...COHORTS_KIND, Chart: RetentionTable },
  curve: { ...CURVE_KIND, Chart: TimeChart },
  trend: { ...TREND_KIND, Chart: TimeChart },
  segments: { ...SEGMENTS_KIND, Chart: SeriesChart },
  minutes: { ...MINUTES_KIND, Chart: TimeChart },
  funnel: { ...FUNNEL_KIND, Chart: FunnelStrip },
  funnel_groups: { ...FUNNEL_GROUPS_KIND, Chart: FunnelGroups },
  conversions: { ...CONVERSIONS_KIND, Chart: TimeChart },
  flow: { ...FLOW_KIND, Chart: FlowChart },
  ranked: { ...RANKED_KIND, Chart: RankedBars },
  map: { ...MAP_KIND, Chart: WorldMap },
  movers: { ...MOVERS_KIND, Chart: MoverLists },
  outcomes: { ...OUTCOMES_KIND, Chart: OutcomeBars },
  table: { ...TABLE_KIND, Chart: DataTable },
  number: { ...NUMBER_KIND, Chart: NumberCard },
  bar: { ...BAR_KIND, Chart: BarChart },
  line: { ...LINE_KIND, Chart: SeriesChart },
  area: { ...AREA_KIND, Chart: SeriesChart },
  pie: { ...PIE_KIND, Chart: PieChart },
  stacked: { ...STACKED_KIND, Chart: SeriesChart },
} as const satisfies Record<(typeof CHART_NAMES)[number], object>;

export type ChartType = keyof typeof CHARTS;

/** The parts of a chart's type: a row, and how it looks. */
type KindOf<Type extends ChartType> =
  (typeof CHARTS)[Type] extends ChartKind<infer Row, infer _, infer Look> ? { row: Row; look: Look } : never;
export type RowOf<Type extends ChartType> = KindOf<Type>["row"];
/** What its component takes: a page may add to what the kind gives. */
export type DrawingOf<Type extends ChartType> = ComponentProps<(typeof CHARTS)[Type]["Chart"]>;

/** What is drawn of rows that somebody else has asked for. */
export type DrawnSpec<Type extends ChartType = ChartType> = Type extends ChartType
  ? DrawnSpecOf<Type, KindOf<Type>["look"]>
  : never;

export type ChartSpec<Type extends ChartType = ChartType> = Type extends ChartType
  ? ChartSpecOf<Type, KindOf<Type>["look"]>
  : never;

export type Chart<Type extends ChartType> = ChartKind<RowOf<Type>, DrawingOf<Type>, ChartSpec<Type>["look"]> & {
  Chart: ComponentType<DrawingOf<Type>>;
};

export function chartOf<Type extends ChartType>(type: Type): Chart<Type> {
  // The compiler cannot see that the parts of one entry belong together once its name is a variable.
  return CHARTS[type] as unknown as Chart<Type>;
}
