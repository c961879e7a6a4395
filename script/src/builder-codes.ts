import type { Fields } from "./visit.ts";

const BUILDER_MARK = "8021".repeat(8);

/** The codes at the end of a call's data (ERC-8021, schema 0): codes, their length, the schema, a mark of 16 bytes. */
export function builderCodes(data: unknown): Fields {
  if (typeof data !== "string" || !data.endsWith(`00${BUILDER_MARK}`)) return {};
  const end = data.length - BUILDER_MARK.length - 4;
  const length = Number.parseInt(data.slice(end, end + 2), 16) * 2;
  const codes = (data.slice(end - length, end).match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  return codes.length > 0 ? { builder_codes: String.fromCharCode(...codes) } : {};
}
