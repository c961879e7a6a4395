import { stringifyKeepingNumbers } from "../../lib/json-numbers.ts";
import type { Draft } from "../draft.ts";
import type { Body } from "../fields.ts";
import { type Park, park } from "../outcome.ts";
import { type Fields, wellFormed } from "../text.ts";

const NOTHING: Fields = {};

/**
 * `context` and `properties` arrive as JSON text (the contract) or as objects (today's clients). The columns hold text.
 */
export function parseBodies(draft: Draft): Park | undefined {
  const context = draft.received.context ?? readBody(draft.raw.context, "context");
  if (context.kind === "park") return context;
  const properties = draft.received.properties ?? readBody(draft.raw.properties, "properties");
  if (properties.kind === "park") return properties;
  draft.context = context.fields;
  draft.properties = properties.fields;
  draft.row.context = context.text;
  draft.row.properties = properties.text;
  return undefined;
}

function readBody(value: unknown, name: string): Body | Park {
  if (value === undefined || value === null) return { kind: "body", fields: NOTHING, text: "{}" };
  if (typeof value !== "string") {
    if (!isFields(value)) return park("bad_json", `${name}: neither an object nor JSON text`);
    const text = findJson(value);
    return text === undefined ? park("too_deep", `${name}: nested too deep`) : { kind: "body", fields: value, text };
  }
  const fields = findFields(value);
  if (fields === undefined) return park("bad_json", `${name}: not the text of a JSON object`);
  // Keeps the client's own text: serializing the parsed object again would cost more than all steps together.
  return { kind: "body", fields, text: wellFormed(value) };
}

function findFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `JSON.stringify` recurses and `JSON.parse` does not: some thousand levels of nesting overflow the stack here. */
export function findJson(value: object): string | undefined {
  try {
    return stringifyKeepingNumbers(value);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
