import type { Static } from "typebox";
import { DATE_FROM, DATE_TO, FILTERS, PROJECT, SEGMENT, TIMEZONE } from "./analytics.ts";
import { Type } from "./type.ts";

export const ACTIVITY_LIMITS = {
  limit: { default: 50, minimum: 1, maximum: 200 },
  valueChars: 4096,
  /** A longer body of an event is left out of lists: 200 of the longest events would be 50 MB. */
  bodyChars: 8192,
} as const;

const equal = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: ACTIVITY_LIMITS.valueChars }));

export const ActivityQuery = Type.Object({
  date_from: DATE_FROM,
  date_to: DATE_TO,
  timezone: TIMEZONE,
  filters: FILTERS,
  segment: SEGMENT,
  project_id: PROJECT,
  type: equal("Events of this type only, such as page, track, connect or transaction."),
  event: equal("Events of this name only."),
  address: equal("Events of this wallet only."),
  anonymous_id: equal("Events of this visitor only."),
  session_id: equal("Events of this session only: the answer's session_id, or the client's own."),
  message_id: equal("Events with this message_id only."),
  limit: Type.Integer({ ...ACTIVITY_LIMITS.limit, description: "Most events to return." }),
  cursor: Type.Optional(Type.String({ description: "The next_cursor of the page before.", maxLength: 64 })),
});
export type ActivityQuery = Static<typeof ActivityQuery>;

export const ActivityParams = Type.Object({
  eventId: Type.String({ description: "The id of an event in a list.", maxLength: 64 }),
});

const text = (description: string) => Type.String({ description });
const body = (description: string) =>
  Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], { description });

export const ActivityEvent = Type.Object(
  {
    id: text("The event's place in the order of events, for /v0/activity/{eventId}."),
    project_id: Type.String(),
    timestamp: Type.String({ format: "date-time" }),
    received_at: Type.String({ format: "date-time" }),
    session_id: text("The session, as in the tables of SQL."),
    channel: text("How it was sent: web, mobile, server, api or import."),
    type: Type.String(),
    event: Type.String(),
    message_id: Type.String(),
    anonymous_id: Type.String(),
    user_id: Type.String(),
    address: Type.String(),
    page_path: Type.String(),
    channel_type: text("The acquisition channel."),
    volume: Type.Number(),
    revenue: Type.Number(),
    points: Type.Number(),
    omitted: Type.Array(Type.String({ enum: ["context", "properties", "extra"] }), {
      description:
        "Bodies of more than 8,192 characters, which are null in a list. Columns of the context are empty then.",
    }),
    context: body("As it was sent."),
    properties: body("As it was sent."),
    extra: body("Fields of the event that have no meaning here."),
  },
  { additionalProperties: { anyOf: [{ type: "string" }, { type: "number" }] } },
);

export const ActivityAnswer = Type.Object({
  data: Type.Array(ActivityEvent),
  has_more: Type.Boolean({
    description: "False at the end of the window. A page may have fewer events than limit, and still be followed.",
  }),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
