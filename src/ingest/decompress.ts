import { promisify } from "node:util";
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  inflate,
  inflateSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";

const GZIP = { now: gunzipSync, later: promisify(gunzip) };
/** For each Content-Encoding a decoder that blocks its thread, and one that does not. */
const DECODERS = {
  gzip: GZIP,
  "x-gzip": GZIP,
  deflate: { now: inflateSync, later: promisify(inflate) },
  br: { now: brotliDecompressSync, later: promisify(brotliDecompress) },
  zstd: { now: zstdDecompressSync, later: promisify(zstdDecompress) },
} as const;

export type Encoding = keyof typeof DECODERS;
export const ENCODINGS = Object.keys(DECODERS) as readonly Encoding[];

/** The decompressed body, or the reason why there is none: it is larger than the limit, or the data is invalid. */
export type Unpacked = Buffer | "too_large" | "not_valid";

/** For small results: each 16 KiB return to the calling thread, and the last step copies them all. */
export async function decompress(packed: Uint8Array, encoding: Encoding, maxBytes: number): Promise<Unpacked> {
  try {
    return await DECODERS[encoding].later(packed, { maxOutputLength: maxBytes });
  } catch (cause) {
    return why(cause);
  }
}

/** Blocks its thread: 10 MiB take 10 to 30 ms. */
export function decompressNow(packed: Uint8Array, encoding: Encoding, maxBytes: number): Unpacked {
  try {
    return DECODERS[encoding].now(packed, { maxOutputLength: maxBytes, chunkSize: 256 * 1024 });
  } catch (cause) {
    return why(cause);
  }
}

function why(cause: unknown): "too_large" | "not_valid" {
  return (cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "not_valid";
}
