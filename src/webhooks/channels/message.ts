/** What an alert or a schedule tells its recipients: as JSON for programs, and as lines for people. */
export interface Message {
  /** Made of what it tells: the same for every recipient and at every attempt. */
  readonly id: string;
  readonly type: string;
  /** The body of a webhook. */
  readonly body: Readonly<Record<string, unknown>>;
  /** A smaller body, for one that has more than PAYLOAD_BYTES. */
  readonly thinBody: Readonly<Record<string, unknown>>;
  /** What is stored for a channel, where that is more than title and lines say. */
  readonly payloads?: Readonly<Record<string, string>>;
  readonly title: string;
  readonly lines: readonly { readonly label: string; readonly value: string }[];
  /** A page about it. */
  readonly link?: string;
}

/** Longer texts end with an ellipsis. Never within a character of two units. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "")}…`;
}
