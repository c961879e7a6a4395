import anyAscii from "any-ascii";

/**
 * Names that a key may not have: response items and webhook payloads use them beside the answers. Keys are snake_case,
 * so only `id` and `sequence` can collide. The others are listed so that this rule need not be known.
 */
export const RESERVED_KEYS: ReadonlySet<string> = new Set([
  ...["id", "formId", "formTitle", "submissionId", "submittedAt"],
  ...["eventType", "webhookId", "sequence", "spamReason"],
  ...["isTest", "isThin", "fetchFrom"],
]);

const NAMELESS = "field";
/** The longest column name in the tools that receive answers; a longer label is cut at a word. */
const LONGEST = 100;

/**
 * A label in snake_case: words of ASCII letters and digits, joined by one underscore, never empty. Hand-written because
 * the common helpers keep other scripts, split `NFTs` and `2FA`, and have no maximum length.
 */
export function toSnakeCase(label: string): string {
  const ascii = anyAscii(label.normalize("NFC")).replaceAll(/['`]/g, "");
  const words = ascii
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    // One capital before the word, not a run of them: a run of 5,000 would be scanned once from each capital.
    .replaceAll(/([A-Z])([A-Z][a-z]{2,})/g, "$1 $2")
    .replaceAll(/(\d)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  return cut(words.join("_")) || NAMELESS;
}

function cut(key: string): string {
  if (key.length <= LONGEST) return key;
  const end = key.lastIndexOf("_", LONGEST);
  return key.slice(0, end > 0 ? end : LONGEST);
}

export interface KeyWish {
  label: string;
  /** The field's existing key. It is kept, whichever keys the other fields need. */
  kept?: string | undefined;
}

/**
 * One key per field, in order. The first field with a name gets the plain key before a later field gets a number:
 * "Name", "Name", "Name 2" become name, name_3, name_2.
 */
export function assignKeys(fields: readonly KeyWish[]): string[] {
  const keys = fields.map((field) => field.kept);
  const taken = new Set(keys);
  const names = fields.map((field) => toSnakeCase(field.label));
  names.forEach((name, i) => {
    if (keys[i] !== undefined || taken.has(name) || RESERVED_KEYS.has(name)) return;
    keys[i] = name;
    taken.add(name);
  });
  return names.map((name, i) => {
    const key = keys[i] ?? firstFree(name, taken);
    taken.add(key);
    return key;
  });
}

function firstFree(name: string, taken: ReadonlySet<string | undefined>): string {
  for (let number = 2; ; number += 1) {
    const key = `${name}_${number}`;
    if (!taken.has(key)) return key;
  }
}
