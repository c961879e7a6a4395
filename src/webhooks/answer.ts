/** The part of a target's answer that the delivery log keeps. */
const KEPT_BYTES = 16 * 1024;
/** A longer Retry-After is capped: the longest gap of the retry schedule is a day. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
];
/** The oldest of the three date formats in HTTP has no time zone and means UTC. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * The first 16 KiB as text. A character is never split. Bytes that are not UTF-8 become U+FFFD, which counts towards
 * the 16 KiB; so does NUL, which a text column of PostgreSQL does not accept.
 */
export function readExcerpt(body: Uint8Array): string {
  const text = new TextDecoder().decode(body.subarray(0, KEPT_BYTES), { stream: true }).replaceAll("\0", "\ufffd");
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(KEPT_BYTES));
  return text.slice(0, read);
}

/** The wait that a target asks for, in seconds or as an HTTP date; undefined for anything else. */
export function findRetryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
  const wished = /^\d+$/.test(text) ? Number(text) * 1000 : findHttpDate(text) - nowMs;
  return Number.isNaN(wished) ? undefined : Math.min(Math.max(wished, 0), MAX_RETRY_AFTER_MS);
}

function findHttpDate(text: string): number {
  if (ASCTIME.test(text)) return Date.parse(`${text} GMT`);
  return HTTP_DATES.some((form) => form.test(text)) ? Date.parse(text) : Number.NaN;
}
