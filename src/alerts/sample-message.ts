/** What a test of an alert tells: invented contents, and for people the word test before them. */
import type { AlertTestBody } from "../contract/alerts.ts";
import { newId } from "../lib/ids.ts";
import type { Message } from "../webhooks/channels/message.ts";
import type { Alert } from "./alerts-table.ts";
import { eventMessage, type PageUrl, userMessage } from "./messages.ts";
import { sampleMetric } from "./metric/message.ts";

const SAMPLE_ADDRESS = "0x0000000000000000000000000000000000000001";

interface Sampled {
  /** Of the project. */
  readonly zone: string;
  readonly nowMs: number;
  readonly pageUrl: PageUrl;
}

export function sampleMessage(alert: Alert, body: AlertTestBody, sampled: Sampled): Message {
  const message = contentsOf(alert, body, sampled);
  return { ...message, title: `Test: ${message.title}` };
}

function contentsOf(alert: Alert, body: AlertTestBody, { zone, nowMs, pageUrl }: Sampled): Message {
  const at = new Date(nowMs).toISOString();
  const firing = newId("test");
  if (alert.trigger === "metric") return sampleMetric(alert, zone, nowMs, pageUrl);
  if (alert.trigger === "user") {
    const item = { address: SAMPLE_ADDRESS, last_seen: at, ...body.sampleUser, is_test: true };
    return userMessage(alert, firing, item, nowMs, pageUrl);
  }
  const item = {
    ...{ type: "track", event: "test", project_id: alert.projectId, address: SAMPLE_ADDRESS, timestamp: at },
    ...{ message_id: newId("test"), context: {}, properties: {} },
    ...body.sampleEvent,
    is_test: true,
  };
  return eventMessage(alert, firing, item, nowMs, pageUrl);
}
