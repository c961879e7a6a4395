/**
 * THE table of styles: how the request of a subscription is shaped and signed. `attempt.ts` adds the URL and `send.ts`
 * only `user-agent`.
 */
import { signPayload } from "./sign.ts";

export interface Unsigned {
  /** The delivery's: the same at every attempt. */
  id: string;
  payload: string;
  /** The current secret and, during a rotation, the previous one. */
  secrets: readonly string[];
  nowMs: number;
}

interface Shaped {
  body: string;
  headers: Record<string, string>;
}

export const STYLES = {
  /** Standard Webhooks v1: the payload byte for byte as it is stored, and three headers. */
  standard_webhooks({ id, payload: body, secrets, nowMs }: Unsigned): Shaped {
    const timestampS = Math.floor(nowMs / 1000);
    return {
      body,
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(timestampS),
        "webhook-signature": signPayload({ id, timestampS, body, secrets }),
      },
    };
  },
} as const satisfies Record<string, (delivery: Unsigned) => Shaped>;

export type Style = keyof typeof STYLES;
