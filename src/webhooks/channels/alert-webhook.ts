/**
 * A webhook of an alert: the headers of the hosted service, whose receivers work unchanged, and beside them those of
 * Standard Webhooks. Without a secret nothing is signed.
 */
import { createHmac } from "node:crypto";
import type { Shaped, Unsigned } from "../shaped.ts";
import { signPayload, toStandardSecret } from "../sign.ts";
import type { Message } from "./message.ts";

export function renderAlertWebhook({ body }: Pick<Message, "body">): string {
  return JSON.stringify(body);
}

export function shapeAlertWebhook({ id, payload: body, eventType, sourceId, secrets, nowMs }: Unsigned): Shaped {
  const timestampS = Math.floor(nowMs / 1000);
  const known = secrets.filter((secret) => secret !== "");
  const [secret] = known;
  const standard = known.map(toStandardSecret);
  return {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "Formo-Alerts/1.0",
      "x-formo-alert-id": sourceId,
      "webhook-id": id,
      "webhook-timestamp": String(timestampS),
      ...(secret !== undefined && {
        "x-webhook-event": eventType,
        "x-webhook-timestamp": String(timestampS),
        "x-webhook-signature": createHmac("sha256", secret).update(`${timestampS}.${body}`).digest("hex"),
        "webhook-signature": signPayload({ id, timestampS, body, secrets: standard }),
      }),
    },
  };
}
