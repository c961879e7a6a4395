/** Checks of values against JSON schemas, with failures that name the field and say what is wrong. */
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { TSchema } from "typebox";

/** Path, such as `query.limit` -> problem. */
type Failures = Map<string, string>;

/** Adds what is wrong with a value to `failures`. May coerce its fields and fill in defaults. */
export type CheckSchema = (value: unknown, failures: Failures) => void;

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

export interface SchemaChecks {
  /** For text from a URL, which is coerced to the schema's type. `part` begins the paths of the failures. */
  ofText(schema: TSchema, part: string): CheckSchema;
  ofJson(schema: TSchema, part: string): CheckSchema;
}

export function createSchemaChecks(): SchemaChecks {
  const forText = withFormats(new Ajv2020({ ...OPTIONS, coerceTypes: true }));
  const forJson = withFormats(new Ajv2020(OPTIONS));
  for (const ajv of [forText, forJson]) ajv.addKeyword("example");
  const checkBy =
    (ajv: Ajv2020) =>
    (schema: TSchema, part: string): CheckSchema => {
      const check = ajv.compile(schema);
      return (value, failures) => {
        if (check(value)) return;
        for (const error of check.errors ?? []) addFailure(failures, part, error);
      };
    };
  return { ofText: checkBy(forText), ofJson: checkBy(forJson) };
}

function withFormats(ajv: Ajv2020): Ajv2020 {
  (addFormats as unknown as (target: Ajv2020) => void)(ajv);
  return ajv;
}

function addFailure(failures: Failures, part: string, error: ErrorObject): void {
  const { path, message } = describe(part, error);
  // The first failure of a field is the most useful one (for example a wrong type); a union adds one per branch.
  if (!failures.has(path)) failures.set(path, message);
}

function describe(part: string, error: ErrorObject): { path: string; message: string } {
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
    case "pattern":
      return { path: base, message: patternText(String(params.pattern)) ?? error.message ?? "is not valid" };
    default:
      return { path: base, message: error.message ?? "is not valid" };
  }
}

/** What the patterns of texts say, in words. Others describe the form of an id, and are shown as they are. */
function patternText(pattern: string): string | undefined {
  const forbidden = /^\^\(\?!(\w+)\$\)/.exec(pattern)?.[1];
  const text = forbidden === undefined ? pattern : pattern.replace(`(?!${forbidden}$)`, "");
  const also = TEXT_PATTERNS.get(text);
  if (forbidden === undefined) return also && `must ${also}`;
  return `must not be ${forbidden}${also === undefined ? "" : `, and must ${also}`}`;
}

const TEXT_PATTERNS: ReadonlyMap<string, string> = new Map([
  ["\\S", "not be blank"],
  ["^[^\\x00]*$", "have no NUL character"],
  ["^(?=.*\\S)[^\\x00]*$", "not be blank, and have no NUL character"],
  ["^(?=.*\\S)[^\\x00-\\x1f]*$", "be one line, and not blank"],
]);

function article(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]).map((name) =>
    name === "integer" ? "whole number" : String(name),
  );
  return names.map((name) => (name === "null" ? name : `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`)).join(" or ");
}
