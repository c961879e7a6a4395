import { Type } from "./type.ts";

const jsonObject = Type.Union([Type.String({ description: "A JSON object serialized as a string." }), Type.Object({})]);
const orNull = Type.Union([Type.String(), Type.Null()]);
const label = Type.String({ minLength: 1, maxLength: 64 });
const time = Type.String({ description: "RFC 3339; UTC when no zone is given." });

/** A tracked event of the contract's section 2.3, with all twelve fields. */
const TrackedEvent = Type.Object({
  channel: label,
  type: label,
  anonymous_id: Type.String(),
  user_id: orNull,
  address: orNull,
  event: orNull,
  context: jsonObject,
  properties: jsonObject,
  version: Type.String(),
  original_timestamp: time,
  sent_at: time,
  message_id: Type.String({ minLength: 1 }),
});

/** An event of today's browser and mobile clients: four fields are required, the server sets the others. */
const RawEvent = Type.Object({
  channel: label,
  type: label,
  anonymous_id: Type.String(),
  version: Type.String(),
  user_id: Type.Optional(orNull),
  address: Type.Optional(orNull),
  event: Type.Optional(orNull),
  context: Type.Optional(Type.Union([jsonObject, Type.Null()])),
  properties: Type.Optional(Type.Union([jsonObject, Type.Null()])),
  original_timestamp: Type.Optional(Type.Union([time, Type.Null()])),
  sent_at: Type.Optional(Type.Union([time, Type.Null()])),
  message_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

/** For documentation and tools. The checks themselves are in ingest/check-event.ts, written for the hot path. */
export const TrackedEvents = Type.Union([TrackedEvent, Type.Array(TrackedEvent, { maxItems: 5_000 })]);
export const RawEvents = Type.Union([RawEvent, Type.Array(RawEvent, { maxItems: 5_000 })]);

const detail = Type.Boolean({ default: false, description: "`true` adds a result for each event of a batch." });

export const EventsQuery = Type.Object({
  name: Type.Optional(Type.String({ default: "raw_events", description: "The pipeline; there is one: `raw_events`." })),
  detail,
});

export const RawEventsQuery = Type.Object({
  detail,
});

export const EventsAnswer = Type.Object({
  success: Type.Literal(true),
  accepted: Type.Optional(Type.Integer({ description: "Batches only: events that are now on disk." })),
  parked: Type.Optional(
    Type.Integer({ description: "Batches only: invalid events that are kept aside with their reasons." }),
  ),
  successful_rows: Type.Optional(Type.Integer({ description: "The same as `accepted`, for existing clients." })),
  quarantined_rows: Type.Optional(Type.Integer({ description: "The same as `parked`, for existing clients." })),
  results: Type.Optional(
    Type.Array(
      Type.Object({
        index: Type.Integer(),
        status: Type.String({ enum: ["accepted", "duplicate", "parked"] }),
        reason: Type.Optional(Type.String()),
        details: Type.Optional(Type.Record(Type.String(), Type.String())),
      }),
    ),
  ),
});
