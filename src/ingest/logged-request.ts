import type { EventRules } from "./check-event.ts";

/**
 * One request in the log, as the payload of one record: a line of JSON, then the body as it was sent (decompressed).
 * The body is not parsed and serialized again: the writer reads it with the same readBody and the same rules.
 */
export interface LoggedRequest {
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

export function encodeRequest(request: LoggedRequest, body: Uint8Array | readonly Uint8Array[]): Uint8Array[] {
  const head: Uint8Array = Buffer.from(`${JSON.stringify(request)}\n`);
  return [head].concat(body);
}

export function decodeRequest(payload: Buffer): { request: LoggedRequest; body: Buffer } {
  const end = payload.indexOf(NEWLINE);
  return { request: JSON.parse(payload.toString("utf8", 0, end)) as LoggedRequest, body: payload.subarray(end + 1) };
}

/** The message id of the event at `index` if it has none of its own: the same each time the log is read. */
export function spareIdOf({ idBase }: Pick<LoggedRequest, "idBase">, index: number): string {
  return `${idBase}-${index}`;
}
