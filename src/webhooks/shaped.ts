/** A delivery before and after its style has shaped it (styles.ts). */

export interface Unsigned {
  /** The delivery's: the same at every attempt. */
  id: string;
  payload: string;
  eventType: string;
  targetUrl: string;
  /** What caused it: the form, the alert. */
  sourceId: string;
  /** The current secret and, during a rotation, the previous one. Empty texts: there is none. */
  secrets: readonly string[];
  nowMs: number;
}

export interface Shaped {
  /** Where the target's own URL is not the one to call. */
  url?: string;
  body: string;
  headers: Record<string, string>;
}
