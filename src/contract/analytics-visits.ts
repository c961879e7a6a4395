/** Reports of visits, events and money: queries and answers. */

import { answer, COMMON, metricColumn, REPORT_LIMITS, row, WINDOW } from "./analytics.ts";
import {
  BREAKDOWN_COLUMNS,
  BREAKDOWN_MEASURES,
  EVENT_GROUPS,
  INTERVALS,
  KPI_GROUPS,
  REVENUE_COLUMNS,
  REVENUE_GROUPS,
} from "./metric-columns.ts";
import { LONGEST_PROPERTY, PROPERTY_PREFIX } from "./properties.ts";
import { Type } from "./type.ts";

const groupBy = (groups: readonly string[], about: string) =>
  Type.Optional(Type.String({ enum: [...groups], description: about, example: groups[0] }));
/** As in the hosted service, where only this report ignores a value that it does not know. */
const revenueGroup = Type.Optional(
  Type.String({
    description: `Rows for each value of this column. One of ${REVENUE_GROUPS.join(", ")}. Another value is ignored.`,
    example: REVENUE_GROUPS[0],
  }),
);

const project = { project_id: Type.String() };
const date = Type.String({ description: "YYYY-MM-DD" });
const count = Type.Integer({ minimum: 0 });

const day = (about: string) =>
  Type.Optional(Type.String({ format: "date", description: about, example: "2026-02-28" }));
const COMPARED = {
  include_previous_period: Type.Boolean({
    default: false,
    description: "Adds the figures of as many days directly before the window, as `<name>_previous`.",
  }),
  compare_from: day("First day to compare with, instead of the days directly before the window. Needs compare_to."),
  compare_to: day("Last day to compare with. Needs compare_from."),
};
const groups = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: REPORT_LIMITS.limit.maximum,
    description: `Most groups of a project, the largest. Without it: ${REPORT_LIMITS.groups}.`,
  }),
);

export const KpisQuery = Type.Object({
  ...WINDOW,
  interval: Type.String({
    enum: [...INTERVALS],
    default: "day",
    description: "The length of a bucket; weeks begin on Monday, and `all` is the whole window.",
  }),
  group_by: groupBy(KPI_GROUPS, "Rows for each value of this column of the session's first touch."),
  limit: groups,
  ...COMPARED,
});
const figures = { sessions: count, pageviews: count, bounce_rate: Type.Number(), avg_session_sec: Type.Number() };
export const KpisAnswer = answer(
  row({
    date: Type.String({ description: "YYYY-MM-DD, and for hours YYYY-MM-DD hh:00:00: the beginning in the window." }),
    ...project,
    ...figures,
    visitors: count,
    wallets: count,
    transactions: count,
    revenue: Type.Number(),
    volume: Type.Number(),
  }),
);

export const RevenueOverviewQuery = Type.Object({
  ...WINDOW,
  group_by: revenueGroup,
  limit: groups,
  rank_by: Type.String({
    enum: ["revenue", "volume"],
    default: "revenue",
    description: "Which groups are the largest.",
  }),
  ...COMPARED,
});
export const RevenueOverviewAnswer = answer(row({ date, ...project, revenue: Type.Number(), volume: Type.Number() }));

export const TopPagesQuery = Type.Object({
  ...COMMON,
  mode: Type.String({
    enum: ["all", "entry", "exit"],
    default: "all",
    description: "`all`: pages by their views. `entry`, `exit`: sessions by their first or last page.",
  }),
});
export const TopPagesAnswer = answer(
  row({ ...project, origin: Type.String(), pathname: Type.String(), hits: count, sessions: count }),
);

const orders = [...BREAKDOWN_MEASURES, ...BREAKDOWN_MEASURES.map((name) => `${name}_change`)];
export const BreakdownQuery = Type.Object({
  ...COMMON,
  metric_column: Type.String({
    default: "referrer",
    maxLength: PROPERTY_PREFIX.length + LONGEST_PROPERTY,
    description:
      `Rows for each value of this column. One of ${BREAKDOWN_COLUMNS.join(", ")}, or \`properties.<name>\`, a property ` +
      "of events. A page is in the columns origin and pathname, an event in type and event, a property in value.",
  }),
  measures: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        `The columns of the answer, comma-separated: ${BREAKDOWN_MEASURES.join(", ")}. Default: all. Without those of ` +
        "wallets the answer takes a fraction of the time.",
    }),
  ),
  order_by: Type.String({
    enum: orders,
    default: "visitors",
    description: "The measure that sorts the rows; `<name>_change` is its difference to the days to compare with.",
  }),
  order: Type.String({ enum: ["desc", "asc"], default: "desc", description: "Largest first, or smallest first." }),
  ...COMPARED,
});
const share = (about: string) => Type.Union([Type.Number(), Type.Null()], { description: about });
/** Each is there unless `measures` leaves it out. */
export const BreakdownAnswer = answer(
  row({
    ...project,
    hits: Type.Optional(count),
    sessions: Type.Optional(count),
    visitors: Type.Optional(count),
    wallets: Type.Optional(count),
    transacting_wallets: Type.Optional(count),
    conversion: Type.Optional(share("transacting_wallets / visitors, null without visitors")),
    transactions: Type.Optional(count),
    volume: Type.Optional(Type.Number()),
    revenue: Type.Optional(Type.Number()),
    revenue_per_wallet: Type.Optional(share("revenue / wallets, null without wallets")),
  }),
);

export const TopQuery = Type.Object(COMMON);
export const TopLocationsAnswer = answer(
  row({ ...project, location: Type.String(), hits: count, sessions: count, visitors: count }),
);
export const TopWalletsAnswer = answer(row({ ...project, rdns: Type.String(), sessions: count, visitors: count }));

const eventType = Type.String({ enum: ["custom"], description: "`custom`: only events of type `track` with a name." });
export const TopEventsQuery = Type.Object({ ...COMMON, type: Type.Optional(eventType) });
export const TopEventsAnswer = answer(row({ ...project, type: Type.String(), event: Type.String(), hits: count }));

export const VolumeQuery = Type.Object({ ...COMMON, metric_column: metricColumn(REVENUE_COLUMNS) });
export const VolumeAnswer = answer(row({ ...project, sum_volume: Type.Number() }));

export const RevenueTimeseriesQuery = Type.Object({
  ...WINDOW,
  address: Type.String({ minLength: 1, maxLength: 512, description: "The wallet. EVM addresses match in any case." }),
});
export const RevenueTimeseriesAnswer = answer(
  row({
    date,
    event: Type.String(),
    page_path: Type.String(),
    referrer: Type.String(),
    utm_source: Type.String(),
    revenue: Type.Number(),
    volume: Type.Number(),
  }),
);

export const EventTimeseriesQuery = Type.Object({
  ...WINDOW,
  exclude: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: "Types to leave out, separated by commas.",
      example: "identify,detect",
    }),
  ),
  group_by: groupBy(EVENT_GROUPS, "Counts under this column of the session's first touch instead of the event's name."),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: REPORT_LIMITS.limit.maximum,
      description: "Keys with rows of their own, the most frequent; the rest counts under `Others`.",
    }),
  ),
});
export const EventTimeseriesAnswer = answer(row({ date, event_key: Type.String(), count }));

export const HeatmapQuery = Type.Object(WINDOW);
export const HeatmapAnswer = answer(
  row({
    ...project,
    weekday: Type.Integer({ minimum: 1, maximum: 7, description: "1 is Monday." }),
    hour: Type.Integer({ minimum: 0, maximum: 23 }),
    hits: count,
    sessions: count,
    events: count,
  }),
);
