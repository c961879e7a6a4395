import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { BackupError, type FileEntry } from "./manifest.ts";

/** A compressed file of a backup that is being written. */
export interface PackedFile {
  /** Resolves when the next bytes may be written. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the file is on disk. */
  end(): Promise<{ bytes: number; sha256: string }>;
}

/** The checksum is that of the compressed file, so a restore detects damage before it unpacks anything. */
export function createPackedFile(path: string): PackedFile {
  const hash = createHash("sha256");
  let bytes = 0;
  const zstd = createZstdCompress();
  const measure = async function* (packed: AsyncIterable<Buffer>) {
    for await (const chunk of packed) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const written = pipeline(zstd, measure, createWriteStream(path, { flags: "wx", mode: 0o600, flush: true }));
  // Awaited in `write` and `end`; before that, a failure must not end the process.
  written.catch(() => undefined);
  return {
    async write(piece) {
      if (!zstd.write(piece)) await Promise.race([once(zstd, "drain"), written]);
    },
    async end() {
      zstd.end();
      await written;
      return { bytes, sha256: hash.digest("hex") };
    },
  };
}

/** Compresses a whole stream into one file. */
export async function pack(
  path: string,
  source: AsyncIterable<Uint8Array>,
): Promise<{ bytes: number; sha256: string }> {
  const file = createPackedFile(path);
  for await (const chunk of source) await file.write(chunk);
  return file.end();
}

/** Decompresses a file. */
export function unpack(path: string): Readable {
  const source = createReadStream(path);
  const zstd = createZstdDecompress();
  source.on("error", (cause) => zstd.destroy(cause));
  return source.pipe(zstd);
}

/** Throws if the file differs from the manifest's entry. */
export async function verifyFile(dir: string, entry: FileEntry): Promise<void> {
  const path = join(dir, entry.path);
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) throw new BackupError(`the backup is incomplete: ${entry.path} is missing`);
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  if (size !== entry.bytes || hash.digest("hex") !== entry.sha256)
    throw new BackupError(`the backup is damaged: ${entry.path} differs from the manifest`);
}

/** The lines of a compressed file, without their line breaks. */
export async function* unpackLines(path: string): AsyncGenerator<string, void, void> {
  let rest = "";
  for await (const text of unpack(path).setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

export function linesOf(rows: readonly object[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}
