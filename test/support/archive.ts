/** A directory as one small file: compressed JSON of its files, directories and links. Not every machine has tar. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

type Entry =
  | { path: string; kind: "directory" }
  | { path: string; kind: "file"; base64: string }
  | { path: string; kind: "link"; to: string };

export function packDirectory(dir: string): Buffer {
  const params = { [constants.ZSTD_c_compressionLevel]: 19 };
  return zstdCompressSync(JSON.stringify(list(dir, "")), { params });
}

/** Descends into directories but does not follow links; pipes and sockets are skipped. */
function list(dir: string, below: string): Entry[] {
  return readdirSync(join(dir, below), { withFileTypes: true }).flatMap((found): Entry[] => {
    const path = join(below, found.name);
    const full = join(dir, path);
    if (found.isDirectory()) return [{ path, kind: "directory" }, ...list(dir, path)];
    if (found.isSymbolicLink()) return [{ path, kind: "link", to: readlinkSync(full) }];
    return found.isFile() ? [{ path, kind: "file", base64: readFileSync(full).toString("base64") }] : [];
  });
}

export function unpackDirectory(packed: Buffer, dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const entry of JSON.parse(zstdDecompressSync(packed).toString()) as Entry[]) {
    const full = join(dir, entry.path);
    if (entry.kind === "directory") mkdirSync(full, { mode: 0o700 });
    else if (entry.kind === "link") symlinkSync(entry.to, full);
    else writeFileSync(full, Buffer.from(entry.base64, "base64"), { mode: 0o600 });
  }
}
