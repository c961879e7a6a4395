/** Alerts on a number: what is watched, in which window, and when it fires. */
import type { Static } from "typebox";
import { INGEST_VALUES, METRIC_LIMITS } from "./metric-limits.ts";
import { REPORT_NAMES } from "./reports.ts";
import { Type } from "./type.ts";

export { INGEST_VALUES, METRIC_LIMITS };

const METRIC_SOURCES = ["report", "sql", "chart", "ingest"] as const;
export const WINDOW_UNITS = ["minutes", "hours", "days"] as const;
const CONDITION_KINDS = ["above", "below", "changed", "unusual", "no_data"] as const;
export const DIRECTIONS = ["up", "down", "any"] as const;
export const BASELINES = ["period_before", "week_before"] as const;
const METRIC_STATES = ["ok", "learning", "pending", "firing", "resolved", "no_data", "error"] as const;
export type MetricState = (typeof METRIC_STATES)[number];

const duration = (description: string) =>
  Type.Object(
    { value: Type.Integer({ minimum: 1, maximum: 100_000 }), unit: Type.String({ enum: [...WINDOW_UNITS] }) },
    { additionalProperties: false, description },
  );

const Condition = Type.Object(
  {
    kind: Type.String({
      enum: [...CONDITION_KINDS],
      description:
        "`above`, `below`: than `threshold`. `changed`: by more than `percent` against another window. `unusual`: a robust z-score " +
        "beyond `score` among the same windows of earlier weeks. `no_data`: no events in the window.",
    }),
    threshold: Type.Optional(Type.Number()),
    percent: Type.Optional(Type.Number({ minimum: 1, maximum: 100_000 })),
    against: Type.Optional(
      Type.String({
        enum: [...BASELINES],
        description:
          "`period_before`: as long, directly before the window. `week_before`: the same window a week before.",
      }),
    ),
    direction: Type.Optional(Type.String({ enum: [...DIRECTIONS], description: "Of the change. Default: any." })),
    score: Type.Optional(Type.Number({ minimum: 1, maximum: 100, description: "Default: 3.5." })),
    min_difference: Type.Optional(
      Type.Number({
        minimum: 0,
        description: "`changed`, `unusual`: a difference up to it never counts, however large its percentage or score.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const MetricDefinition = Type.Object(
  {
    of: Type.String({
      enum: [...METRIC_SOURCES],
      description:
        "Where the number comes from: a report, a statement of SQL, a saved chart of type number, or the ledger of " +
        "received events.",
    }),
    report: Type.Optional(Type.String({ enum: [...REPORT_NAMES] })),
    params: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Parameters of the report, also `filters` and `segment`. The window gives the dates.",
      }),
    ),
    value: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: `The column of the report's answer, \`events\` of kpis (events that match the filters), or of the ledger ${INGEST_VALUES.join(", ")}.`,
        example: "visitors",
      }),
    ),
    row: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description: "Which row of the report's answer: columns and their values.",
        example: { referrer: "example.com" },
      }),
    ),
    query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: METRIC_LIMITS.queryChars,
        description:
          "A statement whose answer is one number. `{{date_from}}` and `{{date_to}}` are the first and the last day of a " +
          "window of days, `{{time_from}}` and `{{time_to}}` the beginning and the end of any window.",
      }),
    ),
    chart_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: "A chart of type number, of a board of the project." }),
    ),
    window: duration(
      "The length of the window. One of minutes or hours ends at a multiple of `every`, one of days at midnight of the project's " +
        "time zone (of UTC, where SQL has dates). " +
        "Minutes and hours are for kpis, for the ledger, and for SQL with `{{time_from}}` and `{{time_to}}`.",
    ),
    every: Type.Optional(
      duration(
        "How often it is evaluated, 5 minutes to 7 days. Default: the window, at most an hour; for days: a day.",
      ),
    ),
    condition: Condition,
    pending: Type.Integer({
      ...METRIC_LIMITS.pending,
      description: "Evaluations in a row that must meet the condition before it fires.",
    }),
    cool_down_minutes: Type.Integer({
      ...METRIC_LIMITS.coolDownMinutes,
      description: "After a notification of a firing, the next firing is notified this much later, if it still lasts.",
    }),
    delay_minutes: Type.Integer({
      ...METRIC_LIMITS.delayMinutes,
      description: "How long after its end a window is evaluated, so that events that come late count.",
    }),
  },
  { additionalProperties: false },
);
export type MetricBody = Static<typeof MetricDefinition>;

const time = Type.String({ format: "date-time" });
const number = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

/** The last evaluation of an alert. */
export const MetricStatus = Type.Object({
  state: Type.String({ enum: [...METRIC_STATES] }),
  value: number("Of the last evaluation. Null: there was none."),
  reason: Type.Union([Type.String(), Type.Null()], { description: "Why there is no value." }),
  window_from: Type.Union([time, Type.Null()]),
  window_to: Type.Union([time, Type.Null()], { description: "Null: it was never evaluated." }),
  next_at: Type.Union([time, Type.Null()]),
  firing_since: Type.Union([time, Type.Null()], { description: "The end of the window with which the firing began." }),
  skipped: Type.Integer({
    minimum: 0,
    description: "Windows before the last one that nobody evaluated, because no worker ran.",
  }),
  skipped_from: Type.Union([time, Type.Null()], { description: "The beginning of the first of them." }),
});
export type MetricStatus = Static<typeof MetricStatus>;

export const PreviewPoint = Type.Object({
  time: Type.String({ format: "date-time", description: "The end of the window." }),
  value: number("Null: no data."),
  lower: Type.Optional(Type.Number({ description: "A value below it would have met the condition." })),
  upper: Type.Optional(Type.Number({ description: "A value above it would have met the condition." })),
  state: Type.String({ enum: [...METRIC_STATES] }),
});
export type PreviewPoint = Static<typeof PreviewPoint>;

export const PreviewFiring = Type.Object({
  from: time,
  to: Type.Union([time, Type.Null()], { description: "Null: it would fire still." }),
  value: number("With which it began."),
  notified: Type.Boolean({ description: "False: within the cool-down, and over before its end." }),
});
export type PreviewFiring = Static<typeof PreviewFiring>;

export const MetricPreview = Type.Object({
  from: Type.String({ format: "date-time", description: "The end of the first evaluated window." }),
  to: Type.String({ format: "date-time", description: "The end of the last one." }),
  evaluations: Type.Integer({ minimum: 0 }),
  is_cut: Type.Boolean({ description: "True: fewer days, because each point is a question of its own." }),
  points: Type.Array(PreviewPoint),
  firings: Type.Array(PreviewFiring),
});
export type MetricPreview = Static<typeof MetricPreview>;

export const EventPreview = Type.Object({
  matches: Type.Integer({ minimum: 0, description: "Of all days." }),
  days: Type.Array(Type.Object({ date: Type.String({ format: "date" }), matches: Type.Integer({ minimum: 0 }) }), {
    description: "Every day (of the project's time zone), oldest first, today included.",
  }),
});
export type EventPreview = Static<typeof EventPreview>;

export const WalletPreview = Type.Object({
  matches: Type.Integer({ minimum: 0, description: "How often it would have told of a wallet, on all days." }),
  wallets: Type.Integer({ minimum: 0, description: "Of how many wallets." }),
  looked_at: Type.Integer({ minimum: 0, description: "The wallets whose profiles were read." }),
  is_cut: Type.Boolean({
    description: `True: there were more than ${METRIC_LIMITS.previewWallets} wallets, or more than ${METRIC_LIMITS.previewMoments} events of those that match. The last seen ones are counted.`,
  }),
  days: EventPreview.properties.days,
});
export type WalletPreview = Static<typeof WalletPreview>;

export const AlertPreviewAnswer = Type.Object({
  metric: Type.Union([MetricPreview, Type.Null()], { description: "Of a metric alert." }),
  events: Type.Union([EventPreview, Type.Null()], {
    description: "Of an event alert: the events that meet its conditions.",
  }),
  wallets: Type.Union([WalletPreview, Type.Null()], {
    description:
      "Of a user alert: the wallets that meet its conditions now, with each event that is at least 24 hours after the one " +
      "told before. What a wallet was then is not kept.",
  }),
});
