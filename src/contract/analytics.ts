import type { TSchema } from "typebox";
import { describeFilters } from "./filter-fields.ts";
import { REVENUE_COLUMNS, SOURCE_COLUMNS } from "./metric-columns.ts";
import { PEOPLE_ABOUT } from "./people.ts";
import { Type } from "./type.ts";

export const REPORT_LIMITS = {
  limit: { default: 50, minimum: 1, maximum: 1000 },
  offset: { default: 0, minimum: 0, maximum: 100_000 },
  /** Days before the last day of a window without dates; the last day is included. */
  windowDays: 7,
  filters: 20,
  /** 1,000 wallet addresses take 46,000 characters. */
  filtersChars: 64 * 1024,
  filterValueChars: 4096,
  filterAlternatives: 1000,
  /** The most frequent keys of event_timeseries that have rows of their own: values of a column, and names of events. */
  eventKeys: 100,
  eventNames: 1000,
  /** Most rows of revenue_timeseries. */
  walletRows: 10_000,
  /** Most groups of a project in a report by time, unless `limit` is given. */
  groups: 10,
  /** Most rows of a report by time: so many of kpis by hour hold the event loop up for about 40 ms. */
  seriesRows: 10_000,
} as const;

export const day = (about: string) =>
  Type.Optional(Type.String({ format: "date", description: about, example: "2026-03-31" }));

const FILTERS_ABOUT =
  'A JSON array of conditions, joined by AND, at most 20: `[{"field":"device","op":"equals","value":"desktop"}]`. ' +
  describeFilters("properties.<name> (a property of the event, by greater, less and so on as a number)") +
  " `in` and `notIn` take alternatives split by `|`, or an array. " +
  "A condition on event or type may have `filters`, conditions on properties of the same event. " +
  PEOPLE_ABOUT;

export const FILTERS = Type.Optional(
  Type.String({ description: FILTERS_ABOUT, maxLength: REPORT_LIMITS.filtersChars }),
);
export const SEGMENT = Type.Optional(
  Type.String({
    description: "The id of a saved segment: its filters hold beside `filters`.",
    minLength: 1,
    maxLength: 128,
    example: "seg_0QeFcTrt0aBcDeFgHiJkLm",
  }),
);
export const PROJECT = Type.Optional(
  Type.String({
    description: "One project only. Without it: every project the key sees.",
    minLength: 1,
    maxLength: 128,
  }),
);
export const BOTS = Type.Optional(
  Type.String({
    enum: ["include", "exclude"],
    description: "Whether visits of bots count. Without it: as each project is set; a new one leaves them out.",
  }),
);
const IMPORTED = Type.Boolean({
  default: true,
  description:
    "Whether days that another product counted are added, before the first day of the project's own events. They are added where nothing is filtered and one column at most is asked, by the day or longer; `imported` of the answer says so.",
});
const PAGE_SCOPE_ABOUT =
  "With a filter on the page. `page`: counts what happened on that page. `session`: counts everything in the sessions " +
  "that viewed it.";

export const DATE_FROM = day("First day, included. Without it: 7 days before date_to.");
export const DATE_TO = day("Last day, included. Without it: today.");
export const TIMEZONE = Type.Optional(
  Type.String({
    description:
      "The name of the time zone whose days are meant. Without it: that of the project; UTC for projects with several.",
    minLength: 1,
    maxLength: 64,
    example: "Europe/Berlin",
  }),
);

/** The parameters that every report has. */
export const WINDOW = {
  date_from: DATE_FROM,
  date_to: DATE_TO,
  timezone: TIMEZONE,
  filters: FILTERS,
  segment: SEGMENT,
  page_scope: Type.String({ enum: ["page", "session"], default: "page", description: PAGE_SCOPE_ABOUT }),
  project_id: PROJECT,
  bots: BOTS,
  imported: IMPORTED,
};
const PAGE = {
  limit: Type.Integer({ ...REPORT_LIMITS.limit, description: "Most rows to return." }),
  offset: Type.Integer({ ...REPORT_LIMITS.offset, description: "Rows to skip." }),
};
export const COMMON = { ...WINDOW, ...PAGE };

const columnAbout = (columns: readonly string[]) =>
  `One of ${columns.join(", ")}. Another value gives no rows. The value column carries this name.`;

export const metricColumn = (columns: readonly string[]) =>
  Type.String({ description: columnAbout(columns), example: columns[0] });

export const TopSourcesQuery = Type.Object({
  ...COMMON,
  metric_column: Type.Optional(metricColumn(SOURCE_COLUMNS)),
});
export const TopChainsQuery = Type.Object(COMMON);
export const RevenueQuery = Type.Object({ ...COMMON, metric_column: metricColumn(REVENUE_COLUMNS) });

/** The query of any report: what all have in common, and its own parameters, which the report reads itself. */
export interface ReportQuery {
  readonly date_from?: string;
  readonly date_to?: string;
  readonly timezone?: string;
  readonly filters?: string;
  readonly segment?: string;
  readonly page_scope?: string;
  readonly project_id?: string;
  readonly bots?: string;
  readonly imported?: boolean;
  readonly metric_column?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly [own: string]: unknown;
}

export const row = (columns: Record<string, TSchema>) => Type.Object(columns, { additionalProperties: true });

export const IMPORTED_NOTE = Type.Optional(
  Type.Object(
    {
      from: Type.String(),
      to: Type.String(),
      source: Type.String(),
      included: Type.Boolean(),
      reason: Type.Optional(Type.String({ description: "Why they are not included." })),
    },
    { description: "Days of the window that another product counted. Absent if there are none." },
  ),
);

/** The envelope of a report's answer. */
export const answer = (rows: TSchema) =>
  Type.Object({
    meta: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    data: Type.Array(rows),
    rows: Type.Integer({ description: "Rows returned." }),
    rows_before_limit_at_least: Type.Integer({ description: "Rows before limit and offset." }),
    statistics: Type.Object(
      { elapsed: Type.Number(), rows_read: Type.Integer(), bytes_read: Type.Integer() },
      { additionalProperties: true },
    ),
    timezone: Type.String({ description: "The time zone whose days and hours these are." }),
    imported: IMPORTED_NOTE,
  });

const project = { project_id: Type.String() };
const visits = { sessions: Type.Integer(), visitors: Type.Integer() };
export const TopSourcesAnswer = answer(row({ ...project, hits: Type.Integer(), ...visits }));
export const TopChainsAnswer = answer(row({ ...project, chain_id: Type.String(), ...visits }));
export const RevenueAnswer = answer(row({ ...project, sum_revenue: Type.Number() }));
