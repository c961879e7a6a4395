import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  createZstdCompress,
  deflate,
  gzip,
  zstdCompress,
} from "node:zlib";
import { describeFailure, httpStatus } from "./exceptions.ts";
import type { RawResult } from "./native.ts";
import type { Run } from "./run.ts";

/** How this answer goes out: what the client asked for. */
export interface Reply {
  readonly response: ServerResponse;
  readonly format: string;
  readonly encoding: Encoding | undefined;
  /** Bytes held back so that an error inside them is still a proper status. */
  readonly holdBytes: number;
}

/** Until then a client that reads nothing keeps a slot of the engine. */
const STALLED_CLIENT_MS = 30_000;
const LEVEL = { level: 3 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const ENCODINGS = {
  gzip: { whole: (bytes: Buffer) => promisify(gzip)(bytes, LEVEL), stream: () => createGzip(LEVEL) },
  deflate: { whole: (bytes: Buffer) => promisify(deflate)(bytes, LEVEL), stream: () => createDeflate(LEVEL) },
  br: {
    whole: (bytes: Buffer) => promisify(brotliCompress)(bytes, BROTLI),
    stream: () => createBrotliCompress(BROTLI),
  },
  zstd: { whole: (bytes: Buffer) => promisify(zstdCompress)(bytes), stream: () => createZstdCompress() },
} as const;

export type Encoding = keyof typeof ENCODINGS;

/** Only when the client set enable_http_compression=1, as the server does; the first coding it names that we know. */
export function pickEncoding(params: URLSearchParams, accept: string | undefined): Encoding | undefined {
  if (params.get("enable_http_compression") !== "1" || accept === undefined) return undefined;
  const names = accept.split(",").map((part) => part.split(";")[0]?.trim().toLowerCase());
  return names.find((name): name is Encoding => name !== undefined && Object.hasOwn(ENCODINGS, name));
}

export async function sendFailure(response: ServerResponse, cause: unknown, version: string): Promise<void> {
  const { code, message } = describeFailure(cause);
  const text = Buffer.from(`${message} (version ${version})\n`);
  response.statusCode = httpStatus(code);
  response.setHeader("X-ClickHouse-Exception-Code", String(code));
  response.setHeader("Content-Type", "text/plain; charset=UTF-8");
  response.setHeader("Content-Length", text.length);
  response.end(text);
  await settled(response);
}

/** An answer that is complete before the first byte leaves: it carries a full summary and a length. */
export async function sendWhole(reply: Reply, body: Buffer, result: RawResult, written: number): Promise<void> {
  const { response, encoding } = reply;
  putHeaders(reply);
  response.setHeader("X-ClickHouse-Summary", summaryOf(result, body, written));
  const bytes = encoding === undefined ? body : await ENCODINGS[encoding].whole(body);
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
  await settled(response);
}

/** Sends rows as they come. Throws only while nothing has been sent; later failures go into the stream. */
export async function sendRun(reply: Reply, run: Run, version: string): Promise<void> {
  const held: Buffer[] = [];
  let heldBytes = 0;
  let sink: Sink | undefined;
  await run.read((chunk) => {
    if (sink !== undefined) return sink.write(chunk);
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < reply.holdBytes) return undefined;
    sink = openSink(reply);
    return sink.write(Buffer.concat(held.splice(0)));
  });
  if (sink === undefined) return sendWhole(reply, Buffer.concat(held), await run.done, 0);
  try {
    await run.done;
  } catch (cause) {
    return sink.fail(describeFailure(cause).message, version);
  }
  await sink.end();
}

interface Sink {
  write(chunk: Buffer): Promise<void>;
  end(): Promise<void>;
  fail(message: string, version: string): Promise<void>;
}

/** The tag marks a failure inside the stream so that no row can look like one; the client knows it from the header. */
function openSink(reply: Reply): Sink {
  const { response, encoding } = reply;
  const tag = randomBytes(8).toString("hex");
  putHeaders(reply);
  response.setHeader("X-ClickHouse-Exception-Tag", tag);
  response.setTimeout(STALLED_CLIENT_MS, () => response.destroy());
  const target: Writable = encoding === undefined ? response : ENCODINGS[encoding].stream();
  if (target !== response) target.pipe(response);
  response.once("close", () => target.destroy());
  const write = async (chunk: Buffer): Promise<void> => {
    if (!response.destroyed && !target.write(chunk)) await drained(target);
    if (response.destroyed) throw new Error("the client went away");
  };
  return {
    write,
    async end() {
      target.end();
      await settled(response);
    },
    /** After the marker the connection is cut without the last chunk: a client that knows no tag fails as well. */
    async fail(message, version) {
      const text = `${message} (version ${version})`;
      const length = Buffer.byteLength(text) + 1;
      await write(Buffer.from(`\r\n__exception__\r\n${tag}\r\n${text}\n${length} ${tag}\r\n__exception__\r\n`));
      await flush(target);
      response.socket?.end();
      await settled(response);
    },
  };
}

function drained(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      target.off("drain", done).off("close", done);
      resolve();
    };
    target.on("drain", done).on("close", done);
  });
}

/** What a compressor holds back must be out before the connection is cut. */
async function flush(target: Writable): Promise<void> {
  const flushable: Writable & { flush?(done: () => void): void } = target;
  if (typeof flushable.flush === "function") await new Promise<void>((resolve) => flushable.flush?.(resolve));
  await new Promise<void>((resolve) => setImmediate(resolve));
}

function putHeaders({ response, format, encoding }: Reply): void {
  response.statusCode = 200;
  response.setHeader("Content-Type", contentType(format));
  response.setHeader("X-ClickHouse-Format", format);
  if (encoding !== undefined) response.setHeader("Content-Encoding", encoding);
}

function contentType(format: string): string {
  if (/^(JSON|JSONCompact|JSONStrings|JSONCompactStrings|JSONColumns|JSONColumnsWithMetadata)$/.test(format)) {
    return "application/json; charset=UTF-8";
  }
  if (/^(JSON\w*EachRow\w*|NDJSON|JSONLines)$/.test(format)) return "application/x-ndjson; charset=UTF-8";
  if (format.startsWith("CSV")) return "text/csv; charset=UTF-8; header=absent";
  if (/^(TSV|TabSeparated)/.test(format)) return "text/tab-separated-values; charset=UTF-8";
  if (format.startsWith("XML")) return "application/xml; charset=UTF-8";
  if (/^(RowBinary|Native|Parquet|Arrow|ORC|Avro|MsgPack|BSON)/.test(format)) return "application/octet-stream";
  return "text/plain; charset=UTF-8";
}

/** ClickHouse gives all of them as strings. The number of result rows is known where the format says it itself. */
function summaryOf(result: RawResult, body: Buffer, written: number): string {
  const rows = /"rows": (\d+)/.exec(body.toString("latin1", Math.max(body.length - 400, 0)))?.[1] ?? "0";
  const wrote = written > 0 ? { rows: written, bytes: result.bytesRead } : { rows: 0, bytes: 0 };
  return JSON.stringify({
    read_rows: String(result.rowsRead),
    read_bytes: String(result.bytesRead),
    written_rows: String(wrote.rows),
    written_bytes: String(wrote.bytes),
    total_rows_to_read: String(result.rowsRead),
    result_rows: written > 0 ? String(written) : rows,
    result_bytes: String(body.length),
    elapsed_ns: String(Math.round(result.elapsed * 1e9)),
  });
}

/** The answer is out, or the client is gone: both end the work. */
async function settled(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.destroyed) return;
  await new Promise<void>((resolve) => response.once("close", resolve));
}
