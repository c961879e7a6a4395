/**
 * Finds the frames of a zstd file. Programs that pack on several threads write many frames one after the other, and so
 * does `cat a.zst b.zst`; Node's decompressor ends after the first one without an error, and the rest would be missing.
 *
 * Only lengths are read here (RFC 8878, section 3.1): frame header, blocks of 3 bytes of header and a size, checksum.
 * Written by hand: the decompressors of npm are slower than Node's own, which lacks only this.
 */
import { ImportError } from "../import-error.ts";

const MAGIC = 0xfd2fb528;
/** The lowest of 16 magic numbers of frames that hold no data. */
const SKIPPABLE = 0x184d2a50;
const DICTIONARY_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const RLE_BLOCK = 1;

/** The bytes of each frame in turn. A frame has to be read to its end before the next is asked for. */
export async function* splitFrames(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<AsyncIterable<Buffer>, void, void> {
  const reader = createReader(chunks, name);
  while (await reader.hasMore()) {
    const magic = (await reader.take(4)).readUInt32LE();
    if ((magic & ~0xf) >>> 0 === SKIPPABLE) {
      const size = (await reader.take(4)).readUInt32LE();
      for await (const _ of reader.pass(size));
    } else if (magic === MAGIC) yield readFrame(reader);
    else throw new ImportError(`${name} cannot be unpacked: bytes that are no zstd follow a frame; it is damaged`);
  }
}

type Reader = ReturnType<typeof createReader>;

async function* readFrame(reader: Reader): AsyncGenerator<Buffer> {
  const descriptor = await reader.take(1);
  const flags = descriptor[0] ?? 0;
  const isSingle = (flags & 0x20) !== 0;
  const contentBytes = flags >> 6 === 0 && isSingle ? 1 : (CONTENT_SIZE_BYTES[flags >> 6] ?? 0);
  const rest = await reader.take((isSingle ? 0 : 1) + (DICTIONARY_BYTES[flags & 3] ?? 0) + contentBytes);
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(MAGIC);
  yield Buffer.concat([magic, descriptor, rest]);
  for (let isLast = false; !isLast; ) {
    const header = await reader.take(3);
    yield header;
    const bits = header.readUIntLE(0, 3);
    isLast = (bits & 1) === 1;
    yield* reader.pass(((bits >> 1) & 3) === RLE_BLOCK ? 1 : bits >> 3);
  }
  if ((flags & 4) !== 0) yield reader.take(4);
}

function createReader(chunks: AsyncIterable<Buffer>, name: string) {
  const iterator = chunks[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  async function fill(): Promise<boolean> {
    while (held.length === 0) {
      const next = await iterator.next();
      if (next.done === true) return false;
      held = next.value;
    }
    return true;
  }

  async function some(most: number): Promise<Buffer> {
    if (!(await fill()))
      throw new ImportError(`${name} cannot be unpacked: it ends too early; it is damaged, or its download was cut`);
    const part = held.subarray(0, most);
    held = held.subarray(part.length);
    return part;
  }

  async function* pass(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      const part = await some(left);
      left -= part.length;
      yield part;
    }
  }

  return {
    hasMore: fill,
    pass,
    async take(bytes: number): Promise<Buffer> {
      const parts: Buffer[] = [];
      for await (const part of pass(bytes)) parts.push(part);
      return Buffer.concat(parts);
    },
  };
}
