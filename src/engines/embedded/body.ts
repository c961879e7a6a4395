import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { EngineException } from "./exceptions.ts";

/** A request body of which the first part is in memory: enough to hold any statement, and most inserts whole. */
export interface Body {
  readonly head: Buffer;
  /** True when `head` is all of it. */
  readonly ended: boolean;
  rest(): AsyncGenerator<Buffer, void, void>;
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export const EMPTY_BODY: Body = {
  head: Buffer.alloc(0),
  ended: true,
  async *rest() {
    // Nothing follows: `head` is all there is.
  },
};

export function withHead(body: Body, head: Buffer): Body {
  return { head, ended: body.ended, rest: () => body.rest() };
}

export async function receiveBody(request: IncomingMessage, headBytes: number, maxBytes: number): Promise<Body> {
  const chunks = decoded(request)[Symbol.asyncIterator]();
  let received = 0;
  const next = async (): Promise<Buffer | undefined> => {
    const step = await chunks.next();
    if (step.done === true) return undefined;
    received += step.value.length;
    if (received > maxBytes) {
      throw new EngineException(307, "QUERY_IS_TOO_LARGE", `The request body is larger than ${maxBytes} bytes.`);
    }
    return step.value;
  };

  const head: Buffer[] = [];
  let ended = false;
  while (!ended && received < headBytes) {
    const chunk = await next();
    if (chunk === undefined) ended = true;
    else head.push(chunk);
  }
  return {
    head: head.length === 1 && head[0] !== undefined ? head[0] : Buffer.concat(head),
    ended,
    async *rest() {
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) yield chunk;
    },
  };
}

/** Yields the body as it was before Content-Encoding. A cut or damaged body throws: half an insert is never run. */
async function* decoded(request: IncomingMessage): AsyncGenerator<Buffer, void, void> {
  const encoding = (request.headers["content-encoding"] ?? "identity").toLowerCase();
  if (encoding === "identity") {
    for await (const chunk of request) yield chunk;
    return;
  }
  const createDecoder = DECODERS[encoding];
  if (createDecoder === undefined) {
    throw new EngineException(
      89,
      "UNKNOWN_COMPRESSION_METHOD",
      `Unknown Content-Encoding ${JSON.stringify(encoding)}.`,
    );
  }
  const decoder = createDecoder();
  request.on("error", (cause) => decoder.destroy(cause));
  request.pipe(decoder);
  try {
    for await (const chunk of decoder) yield chunk;
  } catch (cause) {
    if (request.errored !== null) throw request.errored;
    throw new EngineException(271, "CANNOT_DECOMPRESS", `Cannot decompress the request body: ${String(cause)}.`);
  }
}
