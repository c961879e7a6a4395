import { FILTERS, PROJECT, SEGMENT } from "./analytics.ts";
import { Type } from "./type.ts";

export const LIVE = {
  minutes: 30,
  /** A session is live this long after its last page view. */
  liveMinutes: 10,
  topRows: 10,
} as const;

export const LIVE_STREAM = {
  /** Open at a time. */
  perWorkspace: 20,
  total: 500,
  eventsPerSecond: 50,
  /** After a reconnect. */
  resumedMinutes: 30,
  resumedEvents: 1_000,
  countsSeconds: 5,
  heartbeatSeconds: 15,
  /** A client that has so much to read, or that has read nothing for so long, is cut. */
  unreadBytes: 256 * 1024,
  unreadSeconds: 60,
  /** Then the client connects again: settings of its projects may have changed. */
  longestMinutes: 30,
} as const;

export const LiveQuery = Type.Object({ filters: FILTERS, segment: SEGMENT, project_id: PROJECT });

export const LiveStreamQuery = Type.Object({ project_id: PROJECT });

const time = (description: string) => Type.String({ format: "date-time", description });
const counts = {
  visitors: Type.Integer(),
  sessions: Type.Integer(),
  wallets: Type.Integer({ description: "Distinct addresses." }),
  events: Type.Integer(),
  page_views: Type.Integer(),
};
const top = (columns: Record<string, ReturnType<typeof Type.String>>) =>
  Type.Array(Type.Object({ ...columns, ...counts }), { maxItems: LIVE.topRows });

export const LiveAnswer = Type.Object({
  from: time("The beginning of the first minute."),
  to: time("The end of the current minute, which is not over yet."),
  now: Type.Object({
    live_visitors: Type.Integer({ description: "Sessions with a page view in the last 10 minutes." }),
    ...counts,
  }),
  minutes: Type.Array(Type.Object({ minute: time("The beginning of the minute."), ...counts }), {
    minItems: LIVE.minutes,
    maxItems: LIVE.minutes,
    description: "The last 30 minutes, oldest first, also those without events. The last one is the current minute.",
  }),
  top_pages: top({ origin: Type.String(), pathname: Type.String() }),
  top_chains: top({ chain_id: Type.String() }),
  top_countries: top({ location: Type.String() }),
  top_sources: top({ referrer: Type.String() }),
});
