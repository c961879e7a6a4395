/** The types of charts and their places, apart from their bodies: the dashboard needs no schemas. */
export const CHART_TYPES = [
  "table",
  "number",
  "bar",
  "line",
  "area",
  "pie",
  "stacked",
  "funnel",
  "user_paths",
  "retention",
] as const;
export type ChartType = (typeof CHART_TYPES)[number];

export const LAYOUT = { width: { minimum: 1, maximum: 4 }, height: { minimum: 1, maximum: 3 } } as const;
