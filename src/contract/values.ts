import type { Static } from "typebox";
import { BOTS, DATE_FROM, DATE_TO, FILTERS, PROJECT, SEGMENT, TIMEZONE } from "./analytics.ts";
import { LONGEST_PROPERTY, PROPERTY_PREFIX } from "./properties.ts";
import { Type } from "./type.ts";

const VALUES_LIMITS = { limit: { default: 100, minimum: 1, maximum: 1000 }, searchChars: 512 } as const;

export const ValuesQuery = Type.Object({
  field: Type.String({
    description: "A field of filters that holds text, or `properties.<key>` for a property of events.",
    example: "utm_campaign",
    maxLength: PROPERTY_PREFIX.length + LONGEST_PROPERTY,
  }),
  search: Type.Optional(
    Type.String({
      description: "Values that contain this text only, in any case.",
      maxLength: VALUES_LIMITS.searchChars,
    }),
  ),
  prefix: Type.Optional(
    Type.String({
      description: "Values that start with this text only, in any case.",
      maxLength: VALUES_LIMITS.searchChars,
    }),
  ),
  date_from: DATE_FROM,
  date_to: DATE_TO,
  timezone: TIMEZONE,
  filters: FILTERS,
  segment: SEGMENT,
  project_id: PROJECT,
  bots: BOTS,
  limit: Type.Integer({ ...VALUES_LIMITS.limit, description: "Most values to return." }),
});
export type ValuesQuery = Static<typeof ValuesQuery>;

export const ValuesAnswer = Type.Object({
  field: Type.String(),
  counts: Type.String({ enum: ["sessions", "events"], description: "What is counted." }),
  data: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }), {
    description: "Most frequent first, then by value. Empty values are left out.",
  }),
  has_more: Type.Boolean(),
});
