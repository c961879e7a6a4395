import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { EventRules } from "./check-event.ts";

/**
 * One request in the log, as the payload of one record: a line of JSON, then the body as it was sent (decompressed).
 * The body is not parsed and serialized again: the writer reads it with the same readBody and the same rules. A large
 * body is compressed: what a client sent as 1 KB and is 10 MiB long would otherwise be 10 MiB written, synced and read.
 */
export interface LoggedRequest {
  /** Only for a packed body: its length when unpacked. It comes first, so that `sizeOf` need not read the rest. */
  bodyBytes?: number;
  projectId: string;
  workspaceId: string;
  receivedAtMs: number;
  rules: EventRules;
  /** Read the body as JSON lines. */
  lines: boolean;
  /** Source of message ids for events without one (`spareIdOf`). */
  idBase: string;
  /** A retry of the request has the same idBase. */
  repeatable?: true;
  country?: string;
  /** One JSON document in which every event is valid: it is not checked again. */
  clean?: true;
  /**
   * The number of events of a request that was refused as a whole: they count as received, and the body is not kept.
   */
  refused?: { why: string; count: number };
}

const NEWLINE = 0x0a;
const PACKED_HEAD = '{"bodyBytes":';
/** The fastest level: 10 MiB of events with random ids take 25 ms and become a seventh. */
const PACK_OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A body as it is logged: packed if that makes it smaller. Blocks its thread. */
export interface LoggedBody {
  bytes: Uint8Array;
  /** As in LoggedRequest. */
  bodyBytes?: number;
}

export function packBody(body: Uint8Array): LoggedBody {
  const bytes = zstdCompressSync(body, PACK_OPTIONS);
  return bytes.length < body.length ? { bytes, bodyBytes: body.length } : { bytes: body };
}

export function encodeRequest(request: LoggedRequest, body: Uint8Array | readonly Uint8Array[]): Uint8Array[] {
  const head: Uint8Array = Buffer.from(headOf(request));
  return [head].concat(body);
}

let last = { projectId: "", workspaceId: "", text: '"projectId":"","workspaceId":""' };

/** As JSON.stringify writes it, in a third of the time: it is written for each request. */
function headOf(request: LoggedRequest): string {
  const { bodyBytes, projectId, workspaceId, receivedAtMs, rules, lines, idBase, country, refused } = request;
  if (last.projectId !== projectId || last.workspaceId !== workspaceId)
    last = { projectId, workspaceId, text: JSON.stringify({ projectId, workspaceId }).slice(1, -1) };
  const packed = bodyBytes === undefined ? "" : `"bodyBytes":${bodyBytes},`;
  const id = idBase === "" ? '""' : JSON.stringify(idBase);
  const rest =
    (request.repeatable ? ',"repeatable":true' : "") +
    (country === undefined ? "" : `,"country":${JSON.stringify(country)}`) +
    (request.clean ? ',"clean":true' : "") +
    (refused === undefined ? "" : `,"refused":${JSON.stringify(refused)}`);
  return `{${packed}${last.text},"receivedAtMs":${receivedAtMs},"rules":"${rules}","lines":${lines},"idBase":${id}${rest}}\n`;
}

/** The body is as it was logged: see `unpackBody`. */
export function decodeRequest(payload: Buffer): { request: LoggedRequest; body: Buffer } {
  const end = payload.indexOf(NEWLINE);
  return { request: JSON.parse(payload.toString("utf8", 0, end)) as LoggedRequest, body: payload.subarray(end + 1) };
}

/** The body as it was sent. */
export function unpackBody({ bodyBytes }: LoggedRequest, body: Buffer): Buffer {
  return bodyBytes === undefined ? body : zstdDecompressSync(body, { maxOutputLength: bodyBytes });
}

/**
 * The bytes of a record and of its unpacked body, which a batch holds at the same time. Reads only the first 32 bytes,
 * because it is called for each of up to 20,000 records.
 */
export function sizeOf(payload: Buffer): number {
  if (payload.length < PACKED_HEAD.length || payload[2] !== PACKED_HEAD.charCodeAt(2)) return payload.length;
  const head = payload.toString("latin1", 0, 32);
  return head.startsWith(PACKED_HEAD)
    ? payload.length + Number.parseInt(head.slice(PACKED_HEAD.length), 10)
    : payload.length;
}

/** The message id of the event at `index` if it has none of its own: the same each time the log is read. */
export function spareIdOf({ idBase }: Pick<LoggedRequest, "idBase">, index: number): string {
  return `${idBase}-${index}`;
}
