/** Reports that follow users over several events: queries and answers. */

import { answer, day, REPORT_LIMITS, row, WINDOW } from "./analytics.ts";
import { BUILT_IN_KINDS, KINDS_WITH_STATUS, NAMED_KINDS } from "./event-kinds.ts";
import { LIFECYCLE_DAYS, MOST_LIFECYCLE_DAYS } from "./lifecycle.ts";
import { FUNNEL_GROUPS } from "./metric-columns.ts";
import { ANY_ENTRY, COHORT_INTERVALS, RETENTION_LIMITS } from "./retention.ts";
import { STEP_LIMITS } from "./steps.ts";
import { Type } from "./type.ts";

const count = Type.Integer({ minimum: 0 });
const fraction = Type.Union([Type.Number(), Type.Null()]);
const json = (about: string) => Type.String({ description: about, maxLength: REPORT_LIMITS.filtersChars });

/** Funnels and paths need dates. Older clients name them otherwise. */
const DATES = {
  date_from: day("First day, UTC, included. Required; `dateFrom` is its older name."),
  date_to: day("Last day, UTC, included. Required; `dateTo` is its older name."),
  dateFrom: day("The older name of date_from."),
  dateTo: day("The older name of date_to."),
  filters: WINDOW.filters,
  segment: WINDOW.segment,
  project_id: WINDOW.project_id,
  bots: WINDOW.bots,
};

const anyOf = (kinds: readonly string[]) => kinds.map((kind) => `\`${kind}\``).join(" or ");
const STEP_ABOUT =
  `\`type\` is \`event\` with a built-in event (${BUILT_IN_KINDS.join(", ")}) or a page path as \`event\`; ` +
  `${anyOf(NAMED_KINDS)} with a name as \`event\`; ${anyOf(KINDS_WITH_STATUS)} with a status as \`event\`, or ` +
  "without: then those that were made. `filters` are conditions on the " +
  "event's own columns, or on keys of its properties.";

export const FunnelQuery = Type.Object({
  ...DATES,
  steps: json(
    'A JSON array of 2 to 10 steps, `[{"type":"event","event":"page","name":"page::0"},' +
      `{"type":"track","event":"Swap","name":"Swap::1"}]\`. ${STEP_ABOUT}`,
  ),
  window_seconds: Type.Integer({
    ...STEP_LIMITS.windowSeconds,
    description: "How long after its first event a user may reach the last step of a closed funnel.",
  }),
  within_dates: Type.Optional(
    Type.Boolean({
      description:
        "`true`: steps after date_to do not count. For comparing days: users of earlier days had more time to go on.",
    }),
  ),
  funnel_type: Type.String({
    enum: ["closed", "open"],
    default: "closed",
    description: "`closed`: the steps in their order, within window_seconds. `open`: in any order, within the dates.",
  }),
  group_by: Type.Optional(
    Type.String({ enum: [...FUNNEL_GROUPS], description: "A column of the first touch of a session." }),
  ),
  limit: Type.Integer({
    ...STEP_LIMITS.groups,
    description: "Values of group_by with rows of their own; the rest counts under `Others`.",
  }),
  attribution: Type.String({
    enum: ["first_touch", "last_touch"],
    default: "first_touch",
    description: "The session that decides the value of group_by: that of the first step, or of the last one reached.",
  }),
});
export const FunnelAnswer = answer(
  row({
    step: Type.Integer({ minimum: 1 }),
    event: Type.String({ description: "The name of the step." }),
    users: count,
    total: count,
    conversion_from_start: fraction,
    conversion_from_previous: fraction,
    dropoff_from_previous: fraction,
    median_seconds_from_previous: fraction,
    median_seconds_from_start: fraction,
  }),
);

export const FlowQuery = Type.Object({
  ...DATES,
  start_step: json(
    `A JSON object, \`{"type":"event","event":"page","resolved_event":"/swap"}\`. ${STEP_ABOUT} \`resolved_event\` is a ` +
      "page path, the name of an event, or `__ALL_PAGE_VIEWS__`; `status_value` is the status of a signature or transaction.",
  ),
  end_step: Type.Optional(
    json(
      "As start_step. Only paths that reach it are counted, up to its first event, whose node ends with `__END_MATCH__`.",
    ),
  ),
  through: Type.Optional(
    json(
      'A JSON array of nodes, `["/swap","","connect"]`: only paths with these nodes at these places, the first event being the first. An empty text is any node.',
    ),
  ),
  global_filters: Type.Optional(
    json("A JSON array of conditions on every event of a path, with the fields of a step's filters."),
  ),
  include_exits: Type.Boolean({
    default: false,
    description:
      "Adds rows with an empty target: paths whose last event is the source. Then percentages are of all paths at the " +
      "step. Paths with an end_step have none.",
  }),
  window_seconds: Type.Integer({
    ...STEP_LIMITS.windowSeconds,
    description: "How long after its first event a path goes on.",
  }),
  max_steps: Type.Integer({
    default: STEP_LIMITS.pathSteps.default,
    description: "Steps of a path, 2 to 10. Other numbers are moved into that range.",
  }),
  nodes_per_step: Type.Integer({
    ...STEP_LIMITS.pathNodes,
    description: "Nodes of each place in the paths with rows of their own; the rest counts under `Others`.",
  }),
});
export const FlowAnswer = answer(
  row({
    step: Type.Integer({ minimum: 1 }),
    source: Type.String(),
    target: Type.String(),
    transitions: count,
    percentage: Type.Number({ minimum: 0, maximum: 100 }),
  }),
);

const previous = Type.Boolean({
  default: false,
  description: "Adds the numbers of the period before: as many days, directly before date_from.",
});
const oneField = (field: string) =>
  Type.Optional(
    json(
      `A JSON array of conditions on \`${field}\`, \`[{"field":"${field}","op":"eq","value":"..."}]\`, with eq, neq, in ` +
        "or nin. Older: an object of op and value.",
    ),
  );
const USERS = {
  ...WINDOW,
  include_previous_period: previous,
  behavior_filters: Type.Optional(
    json(
      'A JSON array, joined by AND: users who have done something so often. `[{"event":"Swap","event_type":' +
        '"track","op":"gte","times":2,"date_from":"2026-03-01"}]`. With `"relative_to":"first_seen"` and ' +
        '`"window":{"value":7,"unit":"day"}` the first days of each user count, and the dates do not.',
    ),
  ),
  source_filter: oneField("source"),
  channel_filter: oneField("channel_type"),
};
const project = { project_id: Type.String() };

const threshold = (name: keyof typeof LIFECYCLE_DAYS, about: string) => ({
  [name]: Type.Integer({
    default: LIFECYCLE_DAYS[name],
    minimum: 1,
    maximum: MOST_LIFECYCLE_DAYS,
    description: about,
  }),
});

/** Of the stages of wallets. */
export const LIFECYCLE_THRESHOLDS = {
  ...threshold("new_window_days", "New: first seen so recently."),
  ...threshold("churn_window_days", "Churned: not seen for so long."),
  ...threshold("power_user_min_active_days", "Power user: active on so many days of its window."),
  ...threshold("power_user_window_days", "The window of power users."),
  ...threshold("resurrected_gap_days", "Resurrected: came back after so long."),
  ...threshold("at_risk_min_days_inactive", "At Risk: not seen for so long. Below churn_window_days."),
  ...threshold("at_risk_prior_active_days_threshold", "At Risk: active on so many days of the churn window before."),
};

export const LifecycleQuery = Type.Object({ ...USERS, ...LIFECYCLE_THRESHOLDS });
export const LifecycleAnswer = answer(row({ ...project, user_type: Type.String(), user_count: count }));

export const FrequencyQuery = Type.Object(USERS);
export const FrequencyAnswer = answer(
  row({ ...project, session_bucket: Type.String(), user_count: count, avg_session_per_user: Type.Number() }),
);

export const RetentionQuery = Type.Object({
  ...WINDOW,
  date_from: day(
    "First day, UTC, included. Without it: the day on which the oldest of `limit` weeks begins, or days, or months.",
  ),
  id_type: Type.String({
    enum: ["address", "anonymous_id"],
    default: "address",
    description: "Users are wallets, or visitors.",
  }),
  event_type: Type.Optional(
    Type.String({ maxLength: 64, description: "Only events of this type are activity.", example: "transaction" }),
  ),
  event_name: Type.Optional(
    Type.String({ maxLength: STEP_LIMITS.nameChars, description: "Only events of this name are activity." }),
  ),
  entry_type: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        `Cohorts begin with an event of this type, or of any with \`${ANY_ENTRY}\`, and it counts as activity of its ` +
        "day. Without it and entry_name they begin with the first activity.",
      example: "connect",
    }),
  ),
  entry_name: Type.Optional(
    Type.String({ maxLength: STEP_LIMITS.nameChars, description: "Cohorts begin with an event of this name." }),
  ),
  interval: Type.String({
    enum: COHORT_INTERVALS,
    default: "week",
    description: "Cohorts are the users of a day, of a week that begins on Monday, or of a month.",
  }),
  retention_type: Type.String({
    enum: ["rolling", "recurring"],
    default: "rolling",
    description:
      "`rolling`: active in that week, or other interval, or later. `recurring`: active in exactly that one.",
  }),
  min_users: Type.Integer({
    default: RETENTION_LIMITS.minUsers,
    minimum: 0,
    description: "Cohorts with fewer users are left out. Ignored with user_filters.",
  }),
  limit: Type.Integer({ ...RETENTION_LIMITS.cohorts, description: "Most cohorts, the newest." }),
  user_filters: Type.Optional(
    json(
      "A JSON array of conditions: device, browser, os, location and utm_* of the user's first session, volume, " +
        "revenue and points as sums of the user's events.",
    ),
  ),
});
const tuple = (about: string) =>
  Type.Array(Type.Union([Type.String(), Type.Number(), Type.Null()]), { description: about });
export const RetentionAnswer = answer(
  row({
    metric: tuple(
      "project_id, user_count, day7_retained, day30_retained, day90_retained, day7_retention_rate, " +
        "day30_retention_rate, day90_retention_rate",
    ),
    user: Type.Array(
      tuple(
        `project_id, cohort_week, num_users, week_0 to week_${RETENTION_LIMITS.periods - 1} in percent; null: not begun ` +
          "yet. With another interval, its first day and the shares of its days or months",
      ),
    ),
  }),
);
