import type { TSchema } from "typebox";

/**
 * Problems of a query before its texts are coerced. Coercion would report a repeated parameter as a wrong type, and
 * accept `0x10`, `1e2` and ` 5` as whole numbers.
 */
export function findTextProblems(schema: TSchema, query: unknown): Map<string, string> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> };
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    if (!Object.hasOwn(properties, name)) continue;
    if (Array.isArray(value)) found.set(`query.${name}`, "must be given once");
    else if (properties[name]?.type === "integer" && !/^-?\d+$/.test(String(value)))
      found.set(`query.${name}`, "must be a whole number");
  }
  return found;
}
