/** What openapi.json says: the operations there are, and whether an answer is one that it describes. */
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { withoutReferences } from "../../src/http/openapi-names.ts";

export interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Schema;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  server: "api" | "events" | "ops";
  parameters: Parameter[];
  body: { required: boolean; schema: Schema } | undefined;
  responses: Record<string, { content?: Record<string, unknown> }>;
  /** What it takes as a credential; empty if it needs none. */
  security: readonly string[];
  /** It also answers without one: an empty requirement of the document. */
  isOpen: boolean;
}

export interface GivenAnswer {
  status: number;
  contentType: string;
  text: string;
}

interface Document {
  paths: Record<string, Record<string, Record<string, never>>>;
}

const document = withoutReferences(
  JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as Document,
);
const ajv = new Ajv2020({ strict: false, allErrors: false });
(addFormats as unknown as (target: Ajv2020) => void)(ajv);
ajv.addSchema(document, "openapi");

const SERVERS = { "Events server": "events", "Operations port": "ops" } as const;

interface RawOperation {
  operationId: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Operation["responses"];
  servers?: { description: keyof typeof SERVERS }[];
  security?: Record<string, unknown>[];
}

export const OPERATIONS: readonly Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, raw]) => {
    const { operationId, parameters, requestBody, responses, servers, security = [] } = raw as unknown as RawOperation;
    const schema = requestBody?.content["application/json"]?.schema;
    return {
      id: operationId,
      security: security.flatMap((one) => Object.keys(one)),
      isOpen: security.length === 0 || security.some((one) => Object.keys(one).length === 0),
      method: method.toUpperCase(),
      path,
      server: servers?.[0] === undefined ? ("api" as const) : SERVERS[servers[0].description],
      parameters,
      body: schema && requestBody ? { required: requestBody.required, schema } : undefined,
      responses,
    };
  }),
);

/** A server says these before it knows the route: the entry `default` stands for them alone. */
const BEFORE_THE_ROUTE = new Set([408, 414, 417, 431]);

/** Undefined when the document describes such an answer. */
export function findContradiction(operation: Operation, answer: GivenAnswer): string | undefined {
  const { status, contentType, text } = answer;
  const name = String(status) in operation.responses ? String(status) : BEFORE_THE_ROUTE.has(status) && "default";
  if (name === false) return `status ${status} is not documented`;
  const mediaType = contentType.split(";")[0]?.trim() ?? "";
  // A redirect need not have a body.
  if (text === "" && status >= 300 && status < 400) return undefined;
  const { content } = operation.responses[name] ?? {};
  if (content === undefined) return text === "" ? undefined : `no body is documented for ${status}`;
  if (content[mediaType] === undefined) return `"${contentType}" is not documented for ${status}`;
  if (mediaType !== "application/json") return undefined;
  const check = compiled(operation, `responses/${name}/content/application~1json/schema`);
  return check(parseJson(text))
    ? undefined
    : `the body of ${status} is not as documented: ${ajv.errorsText(check.errors)}`;
}

export function isDocumentedBody(operation: Operation, body: unknown): boolean {
  return compiled(operation, "requestBody/content/application~1json/schema")(body);
}

const seen = new Map<string, ValidateFunction>();

function compiled({ path, method }: Operation, place: string): ValidateFunction {
  const pointer = `openapi#/paths/${path.replaceAll("/", "~1")}/${method.toLowerCase()}/${place}`;
  const known = seen.get(pointer);
  if (known) return known;
  // Braces of a path are escaped in a reference.
  const check = ajv.compile({ $ref: pointer.replaceAll("{", "%7B").replaceAll("}", "%7D") });
  seen.set(pointer, check);
  return check;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No document has an undefined: the schema says no.
    return undefined;
  }
}
