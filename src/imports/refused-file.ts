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

/** A longer row is listed by its beginning: a batch holds a thousand of them, and a row may have 16 MiB. */
const LONGEST_LINE_CHARS = 64 * 1024;
const BEGINNING_CHARS = 4_000;

/** The text of its line. It holds nothing of the row but what it says. */
export function toRefusedText(line: RefusedLine): string {
  const text = JSON.stringify(line);
  if (text.length <= LONGEST_LINE_CHARS) return `${text}\n`;
  const value = typeof line.value === "string" ? line.value : JSON.stringify(line.value);
  return `${JSON.stringify({ ...line, value: value.slice(0, BEGINNING_CHARS), isCut: true })}\n`;
}

export interface RefusedFile {
  /** Resolves with the size of the file. */
  append(texts: readonly string[]): Promise<number>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Whether so many bytes may be added to a file of that size. */
export type HasRefusedRoom = (size: number, added: number) => Promise<boolean>;

/**
 * The file is made when there is a first line. What is behind `bytes` was written by a start that ended before it could
 * say so. A file that was removed or cut meanwhile goes on as it is: its rows were read. Lines that `hasRoom` refuses are
 * left out.
 */
export async function openRefusedFile(
  path: string,
  bytes: number,
  hasRoom: HasRefusedRoom = async () => true,
): Promise<RefusedFile> {
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
    async append(texts) {
      if (texts.length === 0) return size;
      const text = Buffer.from(texts.join(""));
      if (!(await hasRoom(size, text.length))) return size;
      file ??= await reopen();
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
