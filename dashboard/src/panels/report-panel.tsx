import { type ChartSpec, type ChartType, chartOf } from "../charts/registry.ts";
import { type ChartFrame, ChartPanel } from "./chart-panel.tsx";
import { type AskOptions, useChart, usePartsChart } from "./use-chart.ts";

interface ReportPanelProps<Type extends ChartType> extends ChartFrame<Type>, AskOptions {
  spec: ChartSpec<Type>;
}

/** A chart spec in; request, waiting, failure, nothing to show, table, CSV and drawing out. */
export function ReportPanel<Type extends ChartType>(props: ReportPanelProps<Type>) {
  const { parts } = chartOf<Type>(props.spec.type as Type);
  return parts === undefined ? <OneQuestion {...props} /> : <SeveralQuestions {...props} />;
}

function OneQuestion<Type extends ChartType>(props: ReportPanelProps<Type>) {
  return <ChartPanel<Type> {...props} chart={useChart<Type>(props.spec, props)} />;
}

function SeveralQuestions<Type extends ChartType>(props: ReportPanelProps<Type>) {
  return <ChartPanel<Type> {...props} chart={usePartsChart<Type>(props.spec, props)} />;
}
