/** A parked event before it is stored. The sent text may have 10 MB: it is stored in pieces, beside its beginning. */
export interface ParkedRow {
  readonly project_id: string;
  readonly received_at: number;
  readonly id: string;
  readonly reason: string;
  readonly details: string;
  readonly rules: string;
  readonly country: string;
  readonly message_id: string;
  readonly raw: string;
}

const PIECE_CHARS = 16_384;
const HEAD_CHARS = 200;

export function headOf(text: string): string {
  return cut(text, 0, HEAD_CHARS);
}

export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += pieces.at(-1)?.length ?? 0) pieces.push(cut(text, from, PIECE_CHARS));
  return pieces;
}

/** The addresses of the usual chains have 26 characters and more. A short text may be a part of any other. */
const SHORTEST_FOUND = 20;

/** Whether a parked event whose text has the address is about the wallet. */
export function isFoundInTexts(address: string): boolean {
  return address.length >= SHORTEST_FOUND;
}

/** Decodes the JSON lines of the transform. */
export function readParkedLines(lines: Uint8Array): ParkedRow[] {
  if (lines.length === 0) return [];
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString("utf8");
  return text.split("\n").map((line) => JSON.parse(line) as ParkedRow);
}

/** At most `chars` UTF-16 units, without splitting a surrogate pair. */
function cut(text: string, from: number, chars: number): string {
  const end = from + chars;
  const splits = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return text.slice(from, splits ? end - 1 : end);
}
