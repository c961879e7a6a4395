/** The bytes of uploads: `<dir>/<upload>/<name of the file>`, and beside it the rows that were refused. */
import { constants } from "node:fs";
import { mkdir, open, readdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

export interface UploadFiles {
  /** Of one workspace at once. 0: uploads are off. */
  readonly maxBytes: number;
  pathOf(upload: { id: string; fileName: string }): string;
  refusedPathOf(uploadId: string): string;
  /** Whether so many bytes more leave the reserve of the disk free. */
  hasRoom(bytes: number): Promise<boolean>;
  /**
   * Resolves once the part is on disk, with its size. Throws a PartTooLarge beyond `most` bytes, and a PartsMissing where
   * those before it are not here.
   */
  writePart(
    upload: { id: string; fileName: string },
    part: Readable,
    at: { from: number; most: number },
  ): Promise<number>;
  /** The uploads that have a file or refused rows here. */
  list(): Promise<string[]>;
  removeFile(uploadId: string): Promise<void>;
  removeAll(uploadId: string): Promise<void>;
}

export class PartTooLarge extends Error {
  override readonly name = "PartTooLarge";
}

/** They are on another machine, or the file was removed. */
export class PartsMissing extends Error {
  override readonly name = "PartsMissing";
}

/**
 * The first part makes the file, and no part cuts it: when a client has sent the first one twice, the second begins after
 * the first was recorded, and may end in its middle.
 */
const { O_RDWR, O_CREAT } = constants;
const REFUSED = ".refused.ndjson";
const NAME_CHARS = 100;

export function createUploadFiles(options: { dir: string; maxBytes: number; reserveBytes: number }): UploadFiles {
  const { dir, maxBytes, reserveBytes } = options;
  const dirOf = (uploadId: string) => join(dir, uploadId);
  const pathOf = ({ id, fileName }: { id: string; fileName: string }) => join(dirOf(id), plainName(fileName));
  const removeFile = (uploadId: string) => rm(dirOf(uploadId), { recursive: true, force: true });
  return {
    maxBytes,
    pathOf,
    refusedPathOf: (uploadId) => `${dirOf(uploadId)}${REFUSED}`,
    async hasRoom(bytes) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = await statfs(dir);
      return bavail * bsize - bytes > reserveBytes;
    },
    async writePart(upload, part, { from, most }) {
      await mkdir(dirOf(upload.id), { recursive: true, mode: 0o700 });
      // What a part that was not recorded has left is written again.
      const file = await open(pathOf(upload), from === 0 ? O_RDWR | O_CREAT : O_RDWR, 0o600).catch((cause: unknown) => {
        throw (cause as NodeJS.ErrnoException).code === "ENOENT" ? new PartsMissing() : cause;
      });
      try {
        let written = 0;
        // Destroyed, the request could not be answered.
        for await (const chunk of part.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
          if (written + chunk.length > most) throw new PartTooLarge();
          for (let done = 0; done < chunk.length; ) {
            const { bytesWritten } = await file.write(chunk, done, chunk.length - done, from + written + done);
            done += bytesWritten;
          }
          written += chunk.length;
        }
        await file.datasync();
        return written;
      } finally {
        await file.close();
      }
    },
    async list() {
      const names = await readdir(dir).catch(() => []);
      return [...new Set(names.map((name) => name.replace(REFUSED, "")))];
    },
    removeFile,
    async removeAll(uploadId) {
      await removeFile(uploadId);
      await rm(`${dirOf(uploadId)}${REFUSED}`, { force: true });
    },
  };
}

/**
 * The name of a file as far as it is harmless anywhere. Its ending says how it is read, and messages name it.
 */
function plainName(fileName: string): string {
  const plain = fileName.replaceAll(/[^A-Za-z0-9._-]/g, "_").replace(/^[.]+/, "");
  return plain === "" ? "file" : plain.slice(-NAME_CHARS);
}
