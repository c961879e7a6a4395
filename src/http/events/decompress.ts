import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { ApiError } from "../../contract/errors.ts";

const DECODERS = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

export function isPacked(encoding: string | undefined): encoding is string {
  const name = encoding?.trim().toLowerCase() ?? "";
  return name !== "" && name !== "identity";
}

/** The body as it was before Content-Encoding; undefined when that is more than `maxBytes`, however small it was packed. */
export async function decompress(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer | undefined> {
  const name = encoding.trim().toLowerCase();
  if (!Object.hasOwn(DECODERS, name)) {
    throw new ApiError("BAD_REQUEST", `Content-Encoding must be one of ${Object.keys(DECODERS).join(", ")}`, {
      status: 415,
    });
  }
  try {
    return await DECODERS[name as keyof typeof DECODERS](body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return undefined;
    throw new ApiError("BAD_REQUEST", `The body is not valid ${name} data`, { param: "body", cause });
  }
}
