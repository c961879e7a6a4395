import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { validationError } from "../contract/validation-error.ts";
import { buildCut } from "./cut-arrays.ts";
import { findTextProblems } from "./query-text.ts";
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
 * Our schemas do not change while the service runs, so a test validates them against the meta-schema. Compiling the
 * meta-schema at every start took 190 ms of 1100 ms.
 */
const OPTIONS = {
  allErrors: true,
  useDefaults: true,
  strict: true,
  meta: false,
  validateSchema: false,
  // V8 optimizes what runs often; here it took half of the time of compiling.
  code: { optimize: false },
} as const;

/**
 * One compiled validator per part. Text from a URL is coerced to the schema's type; a JSON body is not. Fastify's own
 * validation is not used, because it stops at the first bad part. A route's schemas are compiled by its first request:
 * all of them at once were an eighth of a start.
 */
export function createValidator(): (route: Route) => Validate {
  const forText = withFormats(new Ajv2020({ ...OPTIONS, coerceTypes: true }));
  const forJson = withFormats(new Ajv2020(OPTIONS));
  for (const ajv of [forText, forJson]) ajv.addKeyword("example");
  const compile = (route: Route) =>
    ORDER.flatMap((part): [Part, ValidateFunction][] => {
      const schema = route[part];
      return schema ? [[part, (part === "body" ? forJson : forText).compile(schema)]] : [];
    });
  return (route) => {
    let checks: ReturnType<typeof compile> | undefined;
    const cutBody = route.body && buildCut(route.body);
    return (parts, nowMs) => {
      cutBody?.(parts.body);
      const failures = route.query ? findTextProblems(route.query, parts.query) : new Map<string, string>();
      checks ??= compile(route);
      for (const [part, check] of checks) {
        // A body without required fields may be absent.
        if (parts[part] === undefined && part === "body" && !hasRequired(route.body)) continue;
        if (check(parts[part])) continue;
        for (const error of check.errors ?? []) addFailure(failures, part, error);
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

function hasRequired(schema: Route["body"]): boolean {
  return ((schema as { required?: string[] } | undefined)?.required ?? []).length > 0;
}

function withFormats(ajv: Ajv2020): Ajv2020 {
  (addFormats as unknown as (target: Ajv2020) => void)(ajv);
  return ajv;
}

function addFailure(failures: Map<string, string>, part: Part, error: ErrorObject): void {
  const { path, message } = describe(part, error);
  // The first failure of a field is the most useful one (for example a wrong type); a union adds one per branch.
  if (!failures.has(path)) failures.set(path, message);
}

function describe(part: Part, error: ErrorObject): { path: string; message: string } {
  const base = part + error.instancePath.replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
  const params = error.params as Record<string, unknown>;
  const limit = Number(params.limit);
  switch (error.keyword) {
    case "required":
      return { path: `${base}.${String(params.missingProperty)}`, message: "is required" };
    case "additionalProperties":
      return { path: `${base}.${String(params.additionalProperty)}`, message: "is not a known field" };
    case "enum":
      return { path: base, message: `must be one of ${(params.allowedValues as unknown[]).join(", ")}` };
    case "const":
      return { path: base, message: `must be ${JSON.stringify(params.allowedValue)}` };
    case "type":
      return { path: base, message: `must be ${article(params.type)}` };
    case "format":
      return { path: base, message: `must be a valid ${String(params.format)}` };
    case "minLength":
      return {
        path: base,
        message: limit === 1 ? "must not be empty" : `must have at least ${limit} characters`,
      };
    case "maxLength":
      return { path: base, message: `must have at most ${limit} characters` };
    case "minItems":
      return { path: base, message: `must have at least ${limit} item${limit === 1 ? "" : "s"}` };
    case "maxItems":
      return { path: base, message: `must have at most ${limit} items` };
    case "minimum":
      return { path: base, message: `must be at least ${limit}` };
    case "maximum":
      return { path: base, message: `must be at most ${limit}` };
    default:
      return { path: base, message: error.message ?? "is not valid" };
  }
}

function article(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]).map((name) =>
    name === "integer" ? "whole number" : String(name),
  );
  return names.map((name) => (name === "null" ? name : `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`)).join(" or ");
}
