/**
 * Writes compressed copies beside the files of the built dashboard, as small as they get: `npm pack` and the build of
 * the image run it. In a checkout there are none, and the service makes them at the first request.
 */
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { COPY_ENDINGS, compress, ENCODINGS, isCompressible } from "./compress.ts";

const dir = resolve(process.argv[2] ?? join(import.meta.dirname, "../../../dashboard/dist"));
for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !isCompressible(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const bytes = await readFile(path);
  for (const encoding of ENCODINGS)
    await writeFile(`${path}${COPY_ENDINGS[encoding]}`, await compress(bytes, encoding, "small"));
}
