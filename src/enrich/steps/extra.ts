import { keepNumbersOf } from "../../lib/json-numbers.ts";
import type { Draft } from "../draft.ts";
import { EVENT_FIELDS } from "../fields.ts";
import { type Park, park } from "../outcome.ts";
import { findJson } from "./bodies.ts";

/** The fields of the contract. Every other field that a client sends is stored uninterpreted. */
const KNOWN: ReadonlySet<string> = new Set(EVENT_FIELDS);

export function putExtra({ received, raw, row }: Draft): Park | undefined {
  if (received.hasOthers === false) return undefined;
  let extra: Record<string, unknown> | undefined;
  for (const name of Object.keys(raw)) {
    if (KNOWN.has(name)) continue;
    // In an object without a prototype, `__proto__` is an ordinary key.
    extra ??= Object.create(null) as Record<string, unknown>;
    extra[name] = raw[name];
  }
  if (extra === undefined) return undefined;
  keepNumbersOf(raw, extra);
  const text = findJson(extra);
  if (text === undefined) return park("too_deep", "extra fields: nested too deep");
  row.extra = text;
  return undefined;
}
