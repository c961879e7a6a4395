import { IMPORT_LIMITS } from "../../contract/import-limits.ts";
import type { ImportReading } from "../../contract/imports.ts";
import type { Checked } from "../../http/route.ts";
import type { Mapping } from "../../imports/from/generic.ts";
import {
  isTargetOf,
  isUploadSource,
  targetsOf,
  UPLOAD_SOURCE_NAMES,
  type UploadSource,
} from "../../imports/upload-sources.ts";

export interface Reading {
  /** Undefined: by the content of the file. */
  readonly source: UploadSource | undefined;
  readonly mapping: Mapping;
}

/** How a file is read, as a body says it. Types may be wrong here: the schema refuses them. */
export function readReading(body: unknown): Checked<Reading> {
  const { source, columns = {}, values = {} } = (body ?? {}) as ImportReading;
  const failures = new Map<string, string>();
  const found = isUploadSource(source) ? source : undefined;
  if (source !== undefined && found === undefined)
    failures.set("body.source", `must be one of ${UPLOAD_SOURCE_NAMES.join(", ")}`);
  // A mapping without a word of the source is one of events.
  const mapped = found ?? "generic";
  for (const [name, pairs] of Object.entries({ columns, values })) {
    const targets = typeof pairs === "object" && pairs !== null ? Object.keys(pairs) : [];
    const unknown = targets.find((target) => !isTargetOf(mapped, target) || target.length > IMPORT_LIMITS.fieldChars);
    if (unknown === undefined) continue;
    failures.set(
      `body.${name}`,
      targetsOf(mapped).length === 0
        ? `is for generic files and wallets: the fields of ${mapped} are known`
        : `${unknown.slice(0, 64)} is no field of ${mapped === "wallets" ? "a wallet and no label.<tag>" : "an event and no properties.<name>"}`,
    );
  }
  if (failures.size > 0) return { ok: false, failures };
  const mapping = { columns: new Map(Object.entries(columns)), values: new Map(Object.entries(values)) };
  return { ok: true, value: { source: found, mapping } };
}
