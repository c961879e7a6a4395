/** The rows that are no events, with their lines and reasons: one JSON object in a line. */
import { type FileHandle, open } from "node:fs/promises";
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

/** The file is made when there is a first line. What is behind `bytes` was written by a start that ended before it could say so. */
export async function openRefusedFile(path: string, bytes: number): Promise<RefusedFile> {
  let file: FileHandle | undefined;
  let size = bytes;

  async function reopen(): Promise<FileHandle> {
    try {
      const opened = await open(path, bytes === 0 ? "w" : "r+", 0o600);
      await opened.truncate(bytes);
      return opened;
    } catch (cause) {
      throw new ImportError(
        `refused rows cannot be written to ${path}: ${(cause as Error).message}; name another file with --refused`,
      );
    }
  }

  if (bytes > 0) file = await reopen();
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
