/** Rows of wallets: an address, properties by their names, and labels. */
import { PROPERTY_KEYS } from "../contract/profile-fields.ts";
import { readImportedWallet } from "../profiles/read-writes.ts";
import { fieldsOf, shown, textOf } from "./from/fields.ts";
import { type Mapping, TIME_COLUMNS } from "./from/generic.ts";
import { type NativeRow, RefusedRow } from "./imported-event.ts";
import type { RowMapper } from "./map-rows.ts";

const ADDRESS_COLUMNS = ["address", "wallet_address", "wallet"];
/** A label is mapped, or is a column, as `label.<tag>`. */
const LABEL = "label.";

export const WALLET_TARGETS: readonly string[] = ["address", "timestamp", "properties", "labels", ...PROPERTY_KEYS];

export function isWalletTarget(target: string): boolean {
  return WALLET_TARGETS.includes(target) || (target.startsWith(LABEL) && target.length > LABEL.length);
}

/** A list of wallets, by the names of a row: one with a time may be of events. */
export function looksLikeWallet(row: NativeRow): boolean {
  return ADDRESS_COLUMNS.some((name) => name in row) && !TIME_COLUMNS.some((name) => name in row);
}

/** Texts are what the door writes; a row that a write would refuse is refused here, with the same words. */
export function createWalletMapper(mapping: Mapping, nowMs: number): RowMapper {
  return {
    // The address is the key.
    hasKeyless: () => false,
    map({ value, problem }) {
      if (value === undefined) return { texts: [], refused: problem ?? "it cannot be read" };
      try {
        const item = toItem(value, mapping);
        const rows = readImportedWallet(item, nowMs);
        return typeof rows === "string"
          ? { texts: [], refused: rows }
          : { texts: [JSON.stringify(item)], refused: undefined };
      } catch (cause) {
        if (cause instanceof RefusedRow) return { texts: [], refused: cause.message };
        throw cause;
      }
    },
  };
}

function toItem(row: NativeRow, mapping: Mapping): Record<string, unknown> {
  const find = (target: string, columns: readonly string[] = [target]): unknown => {
    const set = mapping.values.get(target);
    if (set !== undefined) return set;
    const mapped = mapping.columns.get(target);
    for (const column of mapped === undefined ? columns : [mapped]) {
      const value = row[column];
      if (value !== undefined && value !== null && value !== "") return value;
    }
    return undefined;
  };
  const properties: Record<string, unknown> = { ...jsonOf(find("properties"), "properties") };
  for (const key of PROPERTY_KEYS) {
    // Numbers of a JSON file, such as a user's id, are texts here.
    const text = textOf(find(key));
    if (text !== "") properties[key] = text;
  }
  const labels = [...listOf(find("labels"))];
  for (const target of labelTargets(row, mapping)) {
    const value = textOf(find(target));
    if (value !== "") labels.push({ tag_id: target.slice(LABEL.length), value });
  }
  const timestamp = find("timestamp");
  return {
    address: textOf(find("address", ADDRESS_COLUMNS)),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(labels.length > 0 ? { labels } : {}),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

function labelTargets(row: NativeRow, { columns, values }: Mapping): ReadonlySet<string> {
  return new Set([...columns.keys(), ...values.keys(), ...Object.keys(row)].filter((name) => name.startsWith(LABEL)));
}

export function listUnreadColumns(mapping: Mapping, row: NativeRow): readonly string[] {
  const read = new Set([...WALLET_TARGETS, ...ADDRESS_COLUMNS, ...mapping.columns.values()]);
  return Object.keys(row).filter((name) => !read.has(name) && !name.startsWith(LABEL));
}

function jsonOf(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  const found = fieldsOf(value);
  if (Object.keys(found).length === 0 && typeof value === "string" && !/^\s*\{\s*\}\s*$/.test(value))
    throw new RefusedRow(`${field} is ${shown(value)}, and a JSON object was expected`);
  return found;
}

/** A list of labels, or the text of one, as CSV has it. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  try {
    const parsed: unknown = typeof value === "string" ? JSON.parse(value) : undefined;
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // A text that only looks like a list is none.
  }
  throw new RefusedRow(`labels is ${shown(textOf(value))}, and a JSON array was expected`);
}
