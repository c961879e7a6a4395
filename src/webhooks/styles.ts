/**
 * THE table of styles: how the request of a subscription is shaped and signed. `attempt.ts` adds the URL and `send.ts`
 * only `user-agent`, where a style has none. The styles of messages also say how a message is written (channels/).
 */
import { shapeAlertWebhook } from "./channels/alert-webhook.ts";
import { shapeDiscord } from "./channels/discord.ts";
import { shapeMail } from "./channels/email.ts";
import { shapeSlack } from "./channels/slack.ts";
import { shapeTelegram } from "./channels/telegram.ts";
import type { Shaped, Unsigned } from "./shaped.ts";
import { signPayload } from "./sign.ts";

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
  alert_webhook: shapeAlertWebhook,
  slack: shapeSlack,
  discord: shapeDiscord,
  telegram: shapeTelegram,
  email: shapeMail,
} as const satisfies Record<string, (delivery: Unsigned) => Shaped>;

export type Style = keyof typeof STYLES;
