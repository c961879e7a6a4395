/** A board as people with its public link see it: no ids of other things, no questions, no filters. */
import { day, IMPORTED_NOTE } from "./analytics.ts";
import { CHART_TYPES } from "./chart-types.ts";
import { LINK_LIMITS } from "./link-limits.ts";
import { Type } from "./type.ts";

const token = Type.String({ minLength: 1, maxLength: 512, description: "The last part of the link's address." });

export const SharedParams = Type.Object({ token });
export const SharedChartParams = Type.Object({ token, chartId: Type.String({ minLength: 1, maxLength: 128 }) });

/** An unknown parameter is refused: nobody shall believe that it limits or widens anything. */
export const SharedQuery = Type.Object({}, { additionalProperties: false });
export const SharedBoardQuery = Type.Object(
  {
    again: Type.Optional(
      Type.Boolean({ description: "True for a page that is open already: it is not counted as a use of the link." }),
    ),
  },
  { additionalProperties: false },
);
export const SharedChartQuery = Type.Object(
  {
    date_from: day("First day, UTC, included. Without it: that of the board."),
    date_to: day("Last day, UTC, included. Without it: that of the board."),
  },
  { additionalProperties: false },
);

/** Longer texts are passwords of nobody: the least length is that of a new one, not of a guess. */
export const OpenBody = Type.Object(
  { password: Type.String({ minLength: 1, maxLength: LINK_LIMITS.passwordMaxChars }) },
  { additionalProperties: false },
);

const maybe = (schema: Parameters<typeof Type.Union>[0][number]) => Type.Union([schema, Type.Null()]);
const text = maybe(Type.String());
const success = <T extends Parameters<typeof Type.Object>[0][string]>(data: T) =>
  Type.Object({ isSuccess: Type.Literal(true), data });

export const OpenAnswer = success(
  Type.Object({
    token: Type.String({ description: "Send it as `Authorization: Bearer <token>` with the other requests." }),
    expires_at: Type.String({ format: "date-time" }),
  }),
);

export const SharedBoardAnswer = success(
  Type.Object({
    title: Type.String(),
    description: text,
    period: Type.Object({
      date_from: Type.String({ format: "date", description: "First day without parameters." }),
      date_to: Type.String({ format: "date", description: "Last day without parameters." }),
      locked: Type.Boolean({ description: "True where a request cannot choose days beyond these." }),
      timezone: Type.String({ description: "The time zone whose days these are." }),
    }),
    charts: Type.Array(
      Type.Object({
        id: Type.String(),
        chart_type: Type.String({ enum: [...CHART_TYPES] }),
        title: Type.String(),
        description: text,
        report: text,
        params: maybe(
          Type.Object({ interval: Type.String() }, { description: "The step of a report by time, where it has one." }),
        ),
        x_axis: text,
        y_axis: maybe(Type.Array(Type.String())),
        group_by: text,
        steps: maybe(Type.Array(Type.Object({}, { additionalProperties: true }), { description: "Their events." })),
        settings: Type.Object({}, { additionalProperties: true, description: "`layout`, and how it is drawn." }),
      }),
    ),
    charts_left_out: Type.Integer({
      minimum: 0,
      description: "How many charts are not shown, because the link's limits cannot be applied to them.",
    }),
  }),
);

export const SharedChartAnswer = success(
  Type.Object({
    date_from: Type.String({ format: "date" }),
    date_to: Type.String({ format: "date" }),
    results: Type.Object({
      meta: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
      data: Type.Array(Type.Object({}, { additionalProperties: true })),
      rows: Type.Integer(),
      imported: IMPORTED_NOTE,
    }),
  }),
);
