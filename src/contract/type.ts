/**
 * The schemas of the contract: typebox's types and its JSON Schema, without its code. The contract needs these twelve
 * functions; loading them from typebox loads 373 modules: 0.2 s of processor and 22 MB at every start, also where Node
 * keeps compiled code.
 */
import type { Type as TypeOfTypebox } from "typebox";

type Used =
  | "Array"
  | "Boolean"
  | "Integer"
  | "Literal"
  | "Null"
  | "Number"
  | "Object"
  | "Optional"
  | "Record"
  | "String"
  | "Union"
  | "Unknown";

type Schema = Readonly<Record<string, unknown>>;

/** As in typebox: on the schema, and not in its JSON. */
const OPTIONAL = "~optional";

const make: Record<Used, (...given: never[]) => Schema> = {
  Array: (items: Schema, options?: Schema) => ({ type: "array", items, ...options }),
  Boolean: (options?: Schema) => ({ type: "boolean", ...options }),
  Integer: (options?: Schema) => ({ type: "integer", ...options }),
  Literal: (value: string | number | boolean, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Schema) => ({ type: "null", ...options }),
  Number: (options?: Schema) => ({ type: "number", ...options }),
  Object(properties: Record<string, Schema>, options?: Schema) {
    const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] !== true);
    return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
  },
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  // Any name: that of typebox with Type.String(), the only one that is used.
  Record: (_name: Schema, value: Schema, options?: Schema) => ({
    type: "object",
    patternProperties: { "^.*$": value },
    ...options,
  }),
  String: (options?: Schema) => ({ type: "string", ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
};

export const Type = make as unknown as Pick<typeof TypeOfTypebox, Used>;
