import { validationError } from "../contract/validation-error.ts";
import { type CheckSchema, createSchemaChecks } from "../lib/check-schema.ts";
import { findTextProblems } from "../lib/query-text.ts";
import { buildCut } from "./cut-arrays.ts";
import type { Route } from "./route.ts";

export type Part = "params" | "query" | "body";
type Parts = Record<Part, unknown>;

/**
 * Checks one request and returns the result of the route's own check. Throws INVALID_VALIDATION_REQUEST with every
 * failure of every part. May coerce values and fill in defaults.
 */
export type Validate = (parts: Parts, nowMs: number) => unknown;

const ORDER: readonly Part[] = ["params", "query", "body"];

/**
 * One compiled validator per part. Text from a URL is coerced to the schema's type; a JSON body is not. Fastify's own
 * validation is not used, because it stops at the first bad part. A route's schemas are compiled by its first request:
 * all of them at once were an eighth of a start.
 */
export function createValidator(): (route: Route) => Validate {
  const { ofText, ofJson } = createSchemaChecks();
  const compile = (route: Route) =>
    ORDER.flatMap((part): [Part, CheckSchema][] => {
      const schema = route[part];
      return schema ? [[part, (part === "body" ? ofJson : ofText)(schema, part)]] : [];
    });
  return (route) => {
    let checks: ReturnType<typeof compile> | undefined;
    const cutBody = route.body && buildCut(route.body);
    return (parts, nowMs) => {
      cutBody?.(parts.body);
      const failures = route.query ? findTextProblems(route.query, parts.query) : new Map<string, string>();
      checks ??= compile(route);
      for (const [part, check] of checks) {
        if (parts[part] === undefined && part === "body" && !isRequired(route.body)) continue;
        check(parts[part], failures);
      }
      const checked = route.check?.(parts, nowMs);
      for (const [path, message] of checked?.ok === false ? checked.failures : []) {
        if (!failures.has(path)) failures.set(path, message);
      }
      if (failures.size > 0) throw validationError(failures);
      return checked?.ok ? checked.value : undefined;
    };
  };
}

/** A body may be absent if it is an object of which no field is required, and not even some of them. */
export function isRequired(schema: Route["body"]): boolean {
  const { type, anyOf, required = [], minProperties = 0 } = (schema ?? {}) as BodyShape;
  if (anyOf) return anyOf.every(isRequired);
  return type === "array" || required.length > 0 || minProperties > 0;
}

interface BodyShape {
  readonly type?: string;
  readonly anyOf?: readonly NonNullable<Route["body"]>[];
  readonly required?: readonly string[];
  readonly minProperties?: number;
}
