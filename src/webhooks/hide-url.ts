/** URLs that open what they name, as answers show them. */
export const HIDDEN = "…";
const SHOWN_CHARS = 4;

/** The last part of the path but its last characters, and all that follows the path. */
export function hideUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  const at = pathname.lastIndexOf("/") + 1;
  const last = pathname.slice(at);
  return `${origin}${pathname.slice(0, at)}${HIDDEN}${last.length > 2 * SHOWN_CHARS ? last.slice(-SHOWN_CHARS) : ""}`;
}
