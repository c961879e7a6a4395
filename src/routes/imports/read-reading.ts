import { IMPORT_LIMITS } from "../../contract/import-limits.ts";
import type { ImportReading } from "../../contract/imports.ts";
import type { Checked } from "../../http/route.ts";
import { isMappingTarget, type Mapping } from "../../imports/from/generic.ts";
import { SOURCE_NAMES, type SourceName } from "../../imports/sources.ts";

export interface Reading {
  /** Undefined: by the columns of the file. */
  readonly source: SourceName | undefined;
  readonly mapping: Mapping;
}

/** How a file is read, as a body says it. Types may be wrong here: the schema refuses them. */
export function readReading(body: unknown): Checked<Reading> {
  const { source, columns = {}, values = {} } = (body ?? {}) as ImportReading;
  const failures = new Map<string, string>();
  const found = SOURCE_NAMES.find((name) => name === source);
  if (source !== undefined && found === undefined)
    failures.set("body.source", `must be one of ${SOURCE_NAMES.join(", ")}`);
  for (const [name, pairs] of Object.entries({ columns, values })) {
    const targets = typeof pairs === "object" && pairs !== null ? Object.keys(pairs) : [];
    const unknown = targets.find((target) => !isMappingTarget(target) || target.length > IMPORT_LIMITS.fieldChars);
    if (unknown !== undefined)
      failures.set(`body.${name}`, `${unknown.slice(0, 64)} is no field of an event and no properties.<name>`);
    else if (targets.length > 0 && found !== undefined && found !== "generic")
      failures.set(`body.${name}`, `is for generic files: the fields of ${found} are known`);
  }
  if (failures.size > 0) return { ok: false, failures };
  const mapping = { columns: new Map(Object.entries(columns)), values: new Map(Object.entries(values)) };
  return { ok: true, value: { source: found, mapping } };
}
