import anyAscii from "any-ascii";

/**
 * What a key may not be: the names that a response item and a webhook's payload carry beside the answers. Keys are snake_case, so
 * only `id` and `sequence` can ever be met; the others stand here so that nobody has to know that.
 */
export const RESERVED_KEYS: ReadonlySet<string> = new Set([
  ...["id", "formId", "formTitle", "submissionId", "submittedAt"],
  ...["eventType", "webhookId", "sequence", "spamReason"],
  ...["isTest", "isThin", "fetchFrom"],
]);

const NAMELESS = "field";
/** As long as a column name may be in the tools that answers are sent to; a longer label is cut at a word. */
const LONGEST = 100;

/**
 * A label in snake_case: words of ASCII letters and digits with one underscore between them, and never empty.
 * Written here because the common helpers keep other scripts, split `NFTs` and `2FA` apart and know no longest name.
 */
export function toSnakeCase(label: string): string {
  const ascii = anyAscii(label.normalize("NFC")).replaceAll(/['`]/g, "");
  const words = ascii
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    // One capital before the word, not all of them: 5,000 capitals would be walked through once from each.
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
  /** The key the field has already; it is kept whatever the others wish for. */
  kept?: string | undefined;
}

/**
 * One key per field, in their order. The first field of a name gets the plain one, before any later field is given a number:
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
