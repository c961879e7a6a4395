import { BINARY_FORMATS } from "./binary.ts";
import type { Format } from "./format.ts";
import { JSON_FORMATS } from "./json.ts";
import { SEPARATED_FORMATS } from "./separated.ts";

const FORMATS = new Map([...JSON_FORMATS, ...SEPARATED_FORMATS, ...BINARY_FORMATS].map((one) => [one.name, one]));

export const FORMAT_NAMES: readonly string[] = [...FORMATS.keys()];

export function findFormat(name: string): Format | undefined {
  return FORMATS.get(name);
}
