/** Charts of boards: what a client sends and gets. Which fields a type needs: boards/check-chart.ts. */
import type { Static } from "typebox";
import { BOTS, day, FILTERS, IMPORTED_NOTE, REPORT_LIMITS } from "./analytics.ts";
import { BOARD_LIMITS, BoardView, description, title } from "./boards.ts";
import { CHART_TYPES, LAYOUT } from "./chart-types.ts";
import { FUNNEL_GROUPS } from "./metric-columns.ts";
import { PAGE_FIELDS, PAGE_QUERY } from "./paging.ts";
import { SQL_LIMITS } from "./query.ts";
import { REPORT_NAMES } from "./reports.ts";
import { MOST_COMPARED } from "./segment-names.ts";
import { STEP_LIMITS } from "./steps.ts";
import { NO_NUL } from "./texts.ts";
import { Type } from "./type.ts";

export const CHART_LIMITS = {
  /** Rows of SQL without LIMIT: a chart by day of more than two years. `POST /v0/query` returns 100. */
  defaultRows: 1_000,
  /** More than that no chart shows; a table of it takes 25 ms to write. */
  rows: 10_000,
  /** Characters of an answer. */
  answerChars: 1024 ** 2,
  /** Characters of the answers of one page of `include=results`: 60 of the largest were 60 MB, and five such pages 725. */
  pageChars: 8 * 1024 ** 2,
  /** Characters of settings, steps and params together. */
  specChars: 64 * 1024,
  columns: 20,
  segments: MOST_COMPARED,
  /** Charts of one board that run at the same time. */
  running: 2,
} as const;

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, about: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description: about }));

const column = Type.String({ minLength: 1, maxLength: 256 });
const anything = Type.Object({}, { additionalProperties: true });
const conditions = Type.Array(anything, { maxItems: REPORT_LIMITS.filters });
const step = Type.Object(
  {
    type: Type.String({ description: "`event`, `track`, `decoded_log`, or a built-in event." }),
    event: Type.Optional(Type.String({ maxLength: STEP_LIMITS.nameChars })),
    filters: Type.Optional(conditions),
  },
  { additionalProperties: true },
);
const orNoStep = Type.Optional(Type.Union([step, Type.Null()]));

const ChartSettings = Type.Object(
  {
    funnelType: Type.Optional(Type.String({ enum: ["closed", "open"], description: "Without it: closed." })),
    conversionWindow: Type.Optional(
      Type.Object(
        { value: Type.Integer({ minimum: 1, maximum: 10_000 }), unit: Type.String({ enum: ["hour", "day", "week"] }) },
        { description: "Of funnels and paths. Without it: 2 hours." },
      ),
    ),
    breakdown: Type.Optional(
      Type.Union([Type.String({ enum: [...FUNNEL_GROUPS] }), Type.Null()], { description: "group_by of a funnel." }),
    ),
    anchors: Type.Optional(
      Type.Array(step, {
        maxItems: STEP_LIMITS.steps.maximum,
        description: "Of paths: the first event, and possibly the last.",
      }),
    ),
    maxSteps: Type.Optional(Type.Integer({ description: "Of paths: 2 to 5; other numbers are moved there." })),
    nodesPerStep: Type.Optional(Type.Integer({ description: "Of paths: 2 to 8; other numbers are moved there." })),
    filters: Type.Optional(
      Type.Union([Type.String(), conditions, Type.Null()], {
        description: "Of funnels, paths and retention: a JSON array of conditions, as `filters` of reports.",
      }),
    ),
    startStep: orNoStep,
    endStep: orNoStep,
    entryFilter: orNoStep,
    retentionFilter: orNoStep,
    retentionUserFilters: Type.Optional(Type.Union([conditions, Type.Null()])),
    retentionSignalType: Type.Optional(Type.String({ enum: ["event", "label"] })),
    retentionCohortLabelFilters: Type.Optional(Type.Union([conditions, Type.Null()])),
    layout: Type.Optional(
      Type.Object(
        { width: Type.Optional(Type.Integer(LAYOUT.width)), height: Type.Optional(Type.Integer(LAYOUT.height)) },
        { description: "Its place on the page: columns of 4, and one of three heights." },
      ),
    ),
    segments: Type.Optional(
      Type.Array(Type.String({ pattern: "^seg_[A-Za-z0-9]{1,40}$" }), {
        maxItems: CHART_LIMITS.segments,
        description:
          "Segments to compare, of a report or a funnel: the answer has the rows of each, and a column `segment`.",
      }),
    ),
    segment: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 128 }), Type.Null()], {
        description: "Of funnels, paths and retention: only what the segment matches.",
      }),
    ),
  },
  { additionalProperties: true },
);

/** Nulls are taken for what is absent: clients read a chart, change a field and send it back. */
export const ChartBody = Type.Object({
  chart_type: Type.String({ enum: [...CHART_TYPES] }),
  title: title("Visitors by day"),
  description: Type.Optional(description),
  query: orNull(
    Type.String({ maxLength: SQL_LIMITS.chars, pattern: NO_NUL }),
    "SQL as of `POST /v0/query`. `{{date_from}}` and `{{date_to}}` are the days that are asked for.",
  ),
  report: orNull(Type.String({ enum: [...REPORT_NAMES] }), "A report instead of SQL, by its name under /v0/."),
  params: orNull(anything, "The parameters of the report, without dates."),
  x_axis: orNull(column, "A column of the answer."),
  y_axis: orNull(Type.Array(column, { maxItems: CHART_LIMITS.columns }), "Columns of the answer."),
  group_by: orNull(column, "A column of the answer; of a funnel, the column that splits it."),
  steps: orNull(Type.Array(step, { maxItems: STEP_LIMITS.steps.maximum }), "Of a funnel: 2 to 10."),
  settings: orNull(ChartSettings, "What only some types have, and the place on the page."),
  projectId: orNull(Type.String({ maxLength: 128 }), "Not needed: the board has a project."),
  chartId: orNull(Type.String({ maxLength: 128 }), "Not needed: the path has it."),
});
export type ChartDraft = Static<typeof ChartBody>;

const { chart_type, title: chartTitle, projectId: _, chartId: __, ...others } = ChartBody.properties;
/** What is left out stays. */
export const ChartChanges = Type.Object(
  { chart_type: Type.Optional(chart_type), title: Type.Optional(chartTitle), ...others },
  { minProperties: 1 },
);
export type ChartChange = Static<typeof ChartChanges>;

export const ChartParams = Type.Object({
  boardId: Type.String({ minLength: 1, maxLength: 128 }),
  chartId: Type.String({ minLength: 1, maxLength: 128 }),
});

export const ReorderBody = Type.Object({
  chartIds: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
    minItems: 1,
    maxItems: BOARD_LIMITS.charts,
    description: "Charts of the board in their new order. Those that are not listed follow in their old order.",
  }),
});

export const MoveBody = Type.Object({
  targetBoardId: Type.String({ minLength: 1, maxLength: 128, description: "Another board of the project." }),
});

/** What a run of charts takes. */
const RUN = {
  filters: FILTERS,
  segment: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: "Only what the segment matches, of charts of reports." }),
  ),
  bots: BOTS,
  imported: Type.Optional(
    Type.Boolean({
      description:
        "`false`: charts of reports leave out days that another product counted. Without it: as each chart says.",
    }),
  ),
};
const OLDER = { dateFrom: day("The older name of date_from."), dateTo: day("The older name of date_to.") };

/** With `include=results`. */
const RESULTS = {
  include: Type.Optional(
    Type.String({
      enum: ["meta", "spec", "results"],
      description:
        "`results`: runs each chart. `spec`: shows its question, and does not run it. `meta`, the default: neither.",
    }),
  ),
  date_from: day("With results: first day, UTC, included. Without it: 7 days before date_to."),
  date_to: day("With results: last day, UTC, included. Without it: today."),
  ...OLDER,
  ...RUN,
};

export const ChartListQuery = Type.Object({ ...PAGE_QUERY, ...RESULTS });
export const ChartMetaQuery = Type.Object(PAGE_QUERY);
export const ChartGetQuery = Type.Object(RESULTS);
export const ChartRunQuery = Type.Object({
  date_from: day("First day, UTC, included. Required; `dateFrom` is its older name."),
  date_to: day("Last day, UTC, included. Required; `dateTo` is its older name."),
  ...OLDER,
  ...RUN,
});

export const ChartPreviewQuery = Type.Object({
  date_from: day("First day, UTC, included. Without it: 7 days before date_to."),
  date_to: day("Last day, UTC, included. Without it: today."),
  ...RUN,
});

const maybe = (schema: Parameters<typeof Type.Union>[0][number]) => Type.Union([schema, Type.Null()]);
const text = maybe(Type.String());

const place = {
  id: Type.String({ description: "Begins with `cht_`." }),
  project_id: Type.String(),
  board_id: Type.String(),
};
const head = { chart_type: Type.String({ enum: [...CHART_TYPES] }), title: Type.String(), description: text };
const times = {
  position: Type.Integer({ description: "Ascending on the board." }),
  created_at: Type.String({ format: "date-time" }),
  updated_at: maybe(Type.String({ format: "date-time" })),
};

const ChartSummary = Type.Object({ ...place, ...head, ...times });
const results = Type.Object({
  meta: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  data: Type.Array(anything),
  rows: Type.Integer(),
  imported: IMPORTED_NOTE,
});
export const ChartView = Type.Object({
  ...place,
  ...head,
  query: text,
  report: text,
  params: maybe(anything),
  x_axis: text,
  y_axis: maybe(Type.Array(Type.String())),
  group_by: text,
  steps: maybe(Type.Array(anything)),
  settings: maybe(anything),
  ...times,
  results: Type.Optional(results),
});

export const ChartSummaryListAnswer = Type.Object({ data: Type.Array(ChartSummary), ...PAGE_FIELDS });
export const ChartListAnswer = Type.Object({
  data: Type.Array(Type.Union([ChartSummary, ChartView])),
  ...PAGE_FIELDS,
  board: Type.Optional(BoardView),
  warnings: Type.Optional(
    Type.Object({
      failedCharts: Type.Integer(),
      errors: Type.Array(Type.Object({ chartId: Type.String(), error: Type.String() })),
    }),
  ),
});
export const ChartIdAnswer = Type.String({ description: "The id of the chart." });
/** What an unsaved chart answers. */
export const ChartPreviewAnswer = results;
export const ChartResultAnswer = Type.Object({
  result: Type.String({ description: "JSON text of `{meta, data, rows}`." }),
});
