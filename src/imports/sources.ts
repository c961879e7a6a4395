/** THE list of products whose exports are read. A new one is a mapper in `from/` and a line here. */
import { mapAmplitude } from "./from/amplitude.ts";
import { mapGa4 } from "./from/ga4.ts";
import { type Mapping, makeMapGeneric } from "./from/generic.ts";
import { mapMatomo } from "./from/matomo.ts";
import { mapMixpanel } from "./from/mixpanel.ts";
import { mapPosthog } from "./from/posthog.ts";
import { mapSegment } from "./from/segment.ts";
import { mapUmami } from "./from/umami.ts";
import type { MapRow } from "./imported-event.ts";

interface SourceInfo {
  readonly label: string;
  /** What its file is, for people whose file is another one. */
  readonly file: string;
  /** Fields that every row of its exports has: a file whose first row lacks one is another product's. */
  readonly needs: readonly string[];
}

export const SOURCES = {
  generic: { label: "events", file: "rows with a timestamp and an event, a type or a page_url", needs: [] },
  umami: {
    label: "Umami",
    file: "the rows of website_event with those of session, as CSV",
    needs: ["event_id", "session_id", "event_type", "created_at"],
  },
  posthog: {
    label: "PostHog",
    file: "a batch export of events, as JSON lines or Parquet",
    needs: ["uuid", "event", "distinct_id", "timestamp", "properties"],
  },
  ga4: {
    label: "Google Analytics 4",
    file: "a table events_YYYYMMDD of the BigQuery export, as JSON lines or Parquet",
    needs: ["event_name", "event_timestamp", "event_params"],
  },
  matomo: {
    label: "Matomo",
    file: "the answer of Live.getLastVisitsDetails with format=JSON",
    needs: ["idVisit", "visitorId", "actionDetails"],
  },
  mixpanel: { label: "Mixpanel", file: "the raw data export, as JSON lines", needs: ["event", "properties"] },
  amplitude: {
    label: "Amplitude",
    file: "the zip of the Export API, or JSON lines out of it",
    needs: ["event_type", "event_time"],
  },
  segment: {
    label: "Segment",
    file: "an archive of calls, as JSON lines",
    needs: ["type", "messageId"],
  },
} as const satisfies Record<string, SourceInfo>;

export type SourceName = keyof typeof SOURCES;
export const SOURCE_NAMES = Object.keys(SOURCES) as readonly SourceName[];

const MAPPERS: Readonly<Record<Exclude<SourceName, "generic">, MapRow>> = {
  umami: mapUmami,
  posthog: mapPosthog,
  ga4: mapGa4,
  matomo: mapMatomo,
  mixpanel: mapMixpanel,
  amplitude: mapAmplitude,
  segment: mapSegment,
};

export function makeMapper(source: SourceName, mapping: Mapping): MapRow {
  return source === "generic" ? makeMapGeneric(mapping) : MAPPERS[source];
}
