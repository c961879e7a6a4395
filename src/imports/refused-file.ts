/** The rows that are no events, with their lines and reasons: one JSON object in a line. */
import { type FileHandle, open, stat } from "node:fs/promises";
import { ImportError } from "./import-error.ts";

export interface RefusedLine {
  /** The file inside of a zip. */
  readonly entry?: string | undefined;
  readonly line?: number;
  readonly row?: number;
  readonly reason: string;
  readonly value: unknown;
}

export interface RefusedFile {
  /** Resolves with the size of the file. */
  append(lines: readonly RefusedLine[]): Promise<number>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The file is made when there is a first line. What is behind `bytes` was written by a start that ended before it could
 * say so. A file that was removed or cut meanwhile goes on as it is: its rows were read.
 */
export async function openRefusedFile(path: string, bytes: number): Promise<RefusedFile> {
  let size = bytes;

  async function reopen(): Promise<FileHandle> {
    try {
      const known = size === 0 ? undefined : await stat(path).catch(unlessMissing);
      size = Math.min(size, known?.size ?? 0);
      const opened = await open(path, size === 0 ? "w" : "r+", 0o600);
      await opened.truncate(size);
      return opened;
    } catch (cause) {
      throw new ImportError(
        `refused rows cannot be written to ${path}: ${(cause as Error).message}; name another file with --refused`,
      );
    }
  }

  let file = bytes > 0 ? await reopen() : undefined;
  return {
    async append(lines) {
      if (lines.length === 0) return size;
      file ??= await reopen();
      const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      await file.write(text, 0, text.length, size);
      size += text.length;
      return size;
    },
    sync: async () => file?.sync(),
    close: async () => file?.close(),
  };
}

function unlessMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== "ENOENT") throw cause;
  return undefined;
}
