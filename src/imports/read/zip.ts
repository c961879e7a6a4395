/** The files of a zip, one after the other, in the order of its directory. */
import { basename } from "node:path";
import { addAbortSignal } from "node:stream";
import { ImportError } from "../import-error.ts";

export interface ZipEntry {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
  /** Of the zip, as far as it was read. */
  bytes(): number;
}

/** A zip may list millions of files; one of those that we look for is among the first. */
const MOST_LOOKED_AT = 1_000;

export async function* readZip(path: string, signal?: AbortSignal): AsyncGenerator<ZipEntry, void, void> {
  const zip = await openZip(path);
  try {
    let before = 0;
    for await (const entry of zip.eachEntry()) {
      // A zip of millions of folders has no stream that the signal could end.
      signal?.throwIfAborted();
      const { fileName: name, compressedSize, uncompressedSize } = entry;
      const from = before;
      before += compressedSize;
      if (!isData(name)) continue;
      const stream = await zip.openReadStreamPromise(entry);
      if (signal) addAbortSignal(signal, stream);
      let given = 0;
      async function* counted(): AsyncGenerator<Buffer> {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          given += chunk.length;
          yield chunk;
        }
      }
      const share = () => Math.min(1, given / Math.max(1, uncompressedSize));
      yield { name, chunks: counted(), bytes: () => from + Math.floor(compressedSize * share()) };
      stream.destroy();
    }
  } finally {
    zip.close();
  }
}

/** Whether one of its files has such a name. */
export async function hasFile(path: string, isWanted: (name: string) => boolean): Promise<boolean> {
  const zip = await openZip(path);
  try {
    let seen = 0;
    for await (const { fileName } of zip.eachEntry()) {
      seen += 1;
      if (isData(fileName) && isWanted(fileName)) return true;
      if (seen === MOST_LOOKED_AT) break;
    }
    return false;
  } finally {
    zip.close();
  }
}

async function openZip(path: string) {
  const { openPromise } = await import("yauzl");
  return openPromise(path, { autoClose: false }).catch((cause: unknown) => {
    throw new ImportError(`${basename(path)} cannot be read as a zip: ${(cause as Error).message}`);
  });
}

/** Without folders and what a Mac adds to a zip. */
function isData(name: string): boolean {
  return !name.endsWith("/") && !name.startsWith("__MACOSX/") && basename(name) !== ".DS_Store";
}
