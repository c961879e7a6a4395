import { EventsAnswer, EventsQuery, RawEvents, RawEventsQuery, TrackedEvents } from "../../contract/events.ts";
import type { EventsRoute } from "../route.ts";

const common = { method: "POST", tag: "Events", access: "write-key", answers: { 200: EventsAnswer } } as const;

/** The path of the contract, with all twelve fields required. */
export const trackEvents: EventsRoute = {
  ...common,
  path: "/v0/events",
  operationId: "trackEvents",
  summary: "Track events",
  description:
    "One event, an array of events, or JSON lines (`application/x-ndjson`), also packed (`Content-Encoding: gzip`, `br`, `zstd`). A 200 means that every accepted event is on disk. In a batch, invalid events are kept aside with their reasons while the others are taken; if none is valid the answer is 400.",
  rules: "tracked",
  query: EventsQuery,
  body: TrackedEvents,
};

/** The path of today's SDKs, with four fields required. */
export const trackRawEvents: EventsRoute = {
  ...common,
  path: "/v0/raw_events",
  operationId: "trackRawEvents",
  summary: "Track events as existing SDKs send them",
  description:
    "As `/v0/events`, but `message_id`, times, `context` and `properties` may be missing: the server fills them.",
  rules: "raw",
  query: RawEventsQuery,
  body: RawEvents,
};
