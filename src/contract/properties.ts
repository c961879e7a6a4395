import type { Static } from "typebox";
import { DATE_FROM, DATE_TO, PROJECT, TIMEZONE } from "./analytics.ts";
import { STEP_LIMITS } from "./steps.ts";
import { Type } from "./type.ts";

/** The longest key of an event's properties that a condition may name. */
export const LONGEST_PROPERTY = 256;

/** A field of filters, and a column of breakdown, that begins so is a property of events. */
export const PROPERTY_PREFIX = "properties.";
export type PropertyField = `${typeof PROPERTY_PREFIX}${string}`;

/** The key in `properties.<key>`, any text of the right length: `properties.a.b` is the key `a.b`. */
export function findProperty(field: string): string | undefined {
  if (!field.startsWith(PROPERTY_PREFIX)) return undefined;
  const key = field.slice(PROPERTY_PREFIX.length);
  return key === "" || key.length > LONGEST_PROPERTY || !key.isWellFormed() ? undefined : key;
}

const LIMIT = { default: 100, minimum: 1, maximum: 1000 } as const;

export const PropertiesQuery = Type.Object({
  type: Type.Optional(Type.String({ maxLength: 64, description: "Events of this type only.", example: "track" })),
  event: Type.Optional(Type.String({ maxLength: STEP_LIMITS.nameChars, description: "Events of this name only." })),
  date_from: DATE_FROM,
  date_to: DATE_TO,
  timezone: TIMEZONE,
  project_id: PROJECT,
  limit: Type.Integer({ ...LIMIT, description: "Most properties to return." }),
});
export type PropertiesQuery = Static<typeof PropertiesQuery>;

export const PropertiesAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      count: Type.Integer({ description: "Events that have it." }),
      example: Type.String({ description: "Its value in the newest of them, as conditions compare it." }),
    }),
    { description: "Most frequent first, then by name." },
  ),
  has_more: Type.Boolean(),
});
