/** A time with its zone: `2026-03-31T12:00:00Z`, also with a space, or with an offset. */
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

/** Milliseconds since 1970. Undefined: it is no time, or is before 1970. */
export function findTime(text: unknown): number | undefined {
  if (typeof text !== "string" || !TIME.test(text)) return undefined;
  const ms = Date.parse(text.replace(" ", "T"));
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
