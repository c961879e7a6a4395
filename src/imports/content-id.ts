/** Names what a file holds and how it is read, without reading all of 100 GB. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { Mapping } from "./from/generic.ts";

const ENDS_BYTES = 1024 * 1024;

/**
 * Size, beginning and end: an export that grew has another end. If two files should agree in all of it, the second one
 * would only go on where the first was cut.
 */
export async function readContentId(
  path: string,
  source: string,
  mapping: Mapping,
  /** Of a file that is read for itself, whatever was imported before. */
  own?: string,
): Promise<{ id: string; bytes: number }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const hash = createHash("sha256").update(
      JSON.stringify([
        source,
        sorted(mapping.columns),
        sorted(mapping.values),
        size,
        ...(own === undefined ? [] : [own]),
      ]),
    );
    for (const from of [0, Math.max(0, size - ENDS_BYTES)]) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(ENDS_BYTES), 0, ENDS_BYTES, from);
      hash.update(buffer.subarray(0, bytesRead));
    }
    return { id: hash.digest("base64url"), bytes: size };
  } finally {
    await file.close();
  }
}

/** The order in which a person writes them says nothing. */
function sorted(pairs: ReadonlyMap<string, string>): string[] {
  return [...pairs].map(([target, value]) => `${target}=${value}`).sort((one, other) => (one < other ? -1 : 1));
}
