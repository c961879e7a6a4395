/** THE table of channels: how a message is written for the style of a recipient. styles.ts shapes the request. */
import { PAYLOAD_BYTES } from "../outbox.ts";
import type { Style } from "../styles.ts";
import { renderAlertWebhook } from "./alert-webhook.ts";
import { renderDiscord } from "./discord.ts";
import { renderMail } from "./email.ts";
import type { Message } from "./message.ts";
import { renderSlack } from "./slack.ts";
import { renderTelegram } from "./telegram.ts";

export type Channel = Exclude<Style, "standard_webhooks">;

const CHANNELS: Readonly<Record<Channel, (message: Message) => string>> = {
  alert_webhook: renderAlertWebhook,
  slack: renderSlack,
  discord: renderDiscord,
  telegram: renderTelegram,
  email: renderMail,
};

export function renderMessage(channel: Channel, message: Message): string {
  const written = message.payloads?.[channel];
  if (written !== undefined) return written;
  const full = CHANNELS[channel](message);
  if (Buffer.byteLength(full) <= PAYLOAD_BYTES) return full;
  return CHANNELS[channel]({ ...message, body: message.thinBody });
}
