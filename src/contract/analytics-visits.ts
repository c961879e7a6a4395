/** Reports of visits, events and money: queries and answers. */
import { Type } from "typebox";
import { answer, COMMON, metricColumn, REPORT_LIMITS, row, WINDOW } from "./analytics.ts";
import { EVENT_GROUPS, REVENUE_COLUMNS } from "./metric-columns.ts";

const groupBy = (groups: readonly string[], about: string) =>
  Type.Optional(
    Type.String({ description: `${about} One of ${groups.join(", ")}. Another value is ignored.`, example: groups[0] }),
  );

const project = { project_id: Type.String() };
const date = Type.String({ description: "YYYY-MM-DD" });
const count = Type.Integer({ minimum: 0 });

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
