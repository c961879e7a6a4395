import type { Static } from "typebox";
import { PROJECT } from "./analytics.ts";
import { PARKED_REASONS } from "./event-reasons.ts";
import { Type } from "./type.ts";

export const INGEST_LIMITS = {
  hours: { default: 1, minimum: 1, maximum: 168 },
  /** Up to here the steps of the series are minutes, then hours. */
  minuteHours: 3,
} as const;

export const IngestQuery = Type.Object({
  project_id: PROJECT,
  hours: Type.Integer({ ...INGEST_LIMITS.hours, description: "Hours before now; the current one is included." }),
});

const time = (description: string) => Type.String({ format: "date-time", description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const outcomes = {
  received: count("The sum of the four outcomes."),
  stored: count("Events that reports include."),
  duplicate: count("Copies of stored events."),
  parked: count("Kept aside with a reason; they can be replayed."),
  refused: count("Answered with an error."),
};

export const IngestAnswer = Type.Object({
  from: time("The beginning of the first minute or hour."),
  to: time("The end of the current one."),
  ...outcomes,
  reasons: Type.Array(
    Type.Object({
      outcome: Type.String({ enum: ["parked", "refused"] }),
      reason: Type.String(),
      events: Type.Integer({ minimum: 1 }),
    }),
    { description: "Why events were parked or refused, the most frequent first." },
  ),
  series: Type.Array(Type.Object({ at: time("The beginning of the minute or hour."), ...outcomes }), {
    description: "Every minute, or for more than 3 hours every hour, oldest first, also those without events.",
  }),
  lag_seconds: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
    description:
      "Age of the oldest event that this node has accepted and not stored yet, of any project; 0 if there is none. Null on a node without the ingest role.",
  }),
});
export type IngestAnswer = Static<typeof IngestAnswer>;

export const ParkedQuery = Type.Object({
  project_id: PROJECT,
  reason: Type.Optional(Type.String({ enum: [...new Set(PARKED_REASONS)], description: "Only those." })),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: "Most events to return." }),
  cursor: Type.Optional(Type.String({ maxLength: 100, description: "The next_cursor of the page before." })),
});

export const ReplayBody = Type.Object({
  projectId: Type.String({ minLength: 1, maxLength: 128 }),
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Only this one." })),
  reason: Type.Optional(Type.String({ enum: [...new Set(PARKED_REASONS)], description: "Only those." })),
});

export const ReplayAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({
    stored: Type.Integer({ minimum: 0, description: "Valid now: they are in reports." }),
    stillInvalid: Type.Integer({ minimum: 0 }),
  }),
});

export const ParkedAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      project_id: Type.String(),
      received_at: Type.String({ format: "date-time" }),
      reason: Type.String(),
      details: Type.String({ description: "What is wrong with it." }),
      message_id: Type.String(),
      head: Type.String({ description: "The beginning of the text as it was sent." }),
      raw_bytes: Type.Integer({ description: "The size of the whole text." }),
    }),
  ),
  has_more: Type.Boolean(),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
