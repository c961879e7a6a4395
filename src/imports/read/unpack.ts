/** Compressed streams, recognised by their first bytes: names of files lie more often. */
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createZstdDecompress } from "node:zlib";
import { ImportError } from "../import-error.ts";
import { splitFrames } from "./zstd-frames.ts";

/** The pieces of an unpacked file: small ones cost a step of every reader each. */
const CHUNK_BYTES = 256 * 1024;

/** A file may be packed twice: Amplitude has gzip inside of zip. */
const MOST_LAYERS = 3;

export interface Peeked {
  /** Its beginning; empty for an empty file. */
  readonly head: Buffer;
  readonly chunks: AsyncIterable<Buffer>;
}

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

export async function unpack(source: AsyncIterable<Buffer>, name: string): Promise<Peeked> {
  let peeked = await peek(source);
  let bare = name.toLowerCase();
  for (let layer = 0; layer < MOST_LAYERS; layer += 1) {
    const unpacked = findUnpacked(peeked, bare, name);
    if (unpacked === undefined) return peeked;
    bare = bare.replace(/\.[a-z0-9]+$/, "");
    peeked = await peek(unpacked);
  }
  return peeked;
}

function findUnpacked({ head, chunks }: Peeked, bare: string, name: string): AsyncIterable<Buffer> | undefined {
  if (begins(head, GZIP)) return decompressed(chunks, createGunzip({ chunkSize: CHUNK_BYTES }), name);
  if (begins(head, ZSTD)) return decompressFrames(chunks, name);
  // Brotli has no mark of its own.
  if (!bare.endsWith(".br")) return undefined;
  return decompressed(chunks, createBrotliDecompress({ chunkSize: CHUNK_BYTES }), name);
}

async function* decompressFrames(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  for await (const frame of splitFrames(chunks, name))
    yield* decompressed(frame, createZstdDecompress({ chunkSize: CHUNK_BYTES }), name);
}

export function begins(head: Buffer, mark: readonly number[]): boolean {
  return head.length >= mark.length && mark.every((byte, at) => head[at] === byte);
}

async function* decompressed(chunks: AsyncIterable<Buffer>, unpacker: Transform, name: string): AsyncGenerator<Buffer> {
  // The reader of the last stream gets every error, so there is nothing to do here.
  const stream = pipeline(Readable.from(chunks, { objectMode: false }), unpacker, () => undefined);
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (
      cause instanceof ImportError ||
      !(code?.startsWith("Z_") || code?.startsWith("ERR_") || code?.startsWith("ZSTD_"))
    )
      throw cause;
    throw new ImportError(`${name} cannot be unpacked: ${message}; it is damaged, or its download was cut`);
  }
}

async function peek(source: AsyncIterable<Buffer>): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  const head = first.done === true ? Buffer.alloc(0) : first.value;
  async function* all(): AsyncGenerator<Buffer> {
    if (first.done === true) return;
    try {
      yield head;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { head, chunks: all() };
}
