import type { EventRules } from "./check-event.ts";

/**
 * What the log keeps of one request: a line of JSON, then the body as it was sent (decompressed). The body is not taken apart
 * and put together again: the writer reads it with the same readBody and the same rules.
 */
export interface RequestRecord {
  projectId: string;
  workspaceId: string;
  receivedAtMs: number;
  rules: EventRules;
  /** Read the body as JSON lines. */
  lines: boolean;
  /** Makes message ids for events that came without: `<idBase>-<index>`, the same however often the record is read. */
  idBase: string;
  /** The same request, sent again, has the same idBase. */
  repeatable?: true;
  country?: string;
  /** One JSON document in which every event is valid: it need not be checked again. */
  clean?: true;
  /** Events of a request that was refused as a whole: they count as received, and the body is not kept. */
  refused?: { why: string; count: number };
}

const NEWLINE = 0x0a;

export function encodeRecord(record: RequestRecord, body: Uint8Array | readonly Uint8Array[]): Uint8Array[] {
  const head: Uint8Array = Buffer.from(`${JSON.stringify(record)}\n`);
  return [head].concat(body);
}

export function decodeRecord(payload: Buffer): { record: RequestRecord; body: Buffer } {
  const end = payload.indexOf(NEWLINE);
  return { record: JSON.parse(payload.toString("utf8", 0, end)) as RequestRecord, body: payload.subarray(end + 1) };
}
