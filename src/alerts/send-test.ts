/** Sends a sample to the recipients of an alert, at once and signed as the real ones are. Nothing of it is stored. */
import type { AlertTestBody } from "../contract/alerts.ts";
import { ApiError } from "../contract/errors.ts";
import { validationError } from "../contract/validation-error.ts";
import type { SecretBox } from "../control/secret-box.ts";
import type { Reader } from "../control/store.ts";
import { newId } from "../lib/ids.ts";
import { renderMessage } from "../webhooks/channels/index.ts";
import { listRecipientsWithSecrets, type Recipient } from "../webhooks/recipients.ts";
import type { Sender } from "../webhooks/send.ts";
import { ofAlert } from "../webhooks/sources.ts";
import { STYLES } from "../webhooks/styles.ts";
import type { Alert } from "./alerts-table.ts";
import { eventMessage, type PageUrl, userMessage } from "./messages.ts";
import { sampleMetric } from "./metric/message.ts";
import { type GivenRecipient, readRecipients, showTarget } from "./recipients.ts";
import { openSecret } from "./write-alert.ts";

/** A person waits for the answer. */
const DEADLINE_MS = 10_000;

export interface TestDeps {
  box: SecretBox;
  send: Sender["send"];
  pageUrl: PageUrl;
}

export async function sendTest(
  db: Reader,
  alert: Alert,
  body: AlertTestBody,
  { deps, nowMs, signal }: { deps: TestDeps; nowMs: number; signal: AbortSignal },
) {
  const targets = (await findTargets(db, alert, body, deps)).filter(({ channel }) => channel !== "email");
  if (targets.length === 0)
    throw new ApiError("BAD_REQUEST", "The alert has no recipient to which a test can be sent: add a webhook");
  const message = sampleMessage(alert, body, nowMs, deps.pageUrl);
  const results = await Promise.all(
    targets.map(async ({ channel, targetUrl, secret = "" }) => {
      const payload = renderMessage(channel, message);
      const shaped = STYLES[channel]({
        ...{ id: message.id, payload, eventType: message.type, targetUrl, sourceId: alert.id, nowMs },
        secrets: [secret],
      });
      const outcome = await deps.send({ url: targetUrl, ...shaped, deadlineMs: DEADLINE_MS, signal });
      const status = outcome.kind === "answered" ? outcome.status : null;
      const reason = outcome.kind === "answered" ? null : outcome.reason;
      const ok = status !== null && status >= 200 && status < 300;
      return { url: showTarget({ channel, targetUrl }), ok, status, reason };
    }),
  );
  const delivered = results.filter(({ ok }) => ok).length;
  return { delivered, failed: results.length - delivered, results };
}

async function findTargets(
  db: Reader,
  alert: Alert,
  body: AlertTestBody,
  { box }: TestDeps,
): Promise<readonly Recipient[]> {
  const known = await listRecipientsWithSecrets(db, alert.workspaceId, ofAlert(alert.id), box);
  if (body.recipientOverrides === undefined) return known;
  const failures = new Map<string, string>();
  const given = body.recipientOverrides as GivenRecipient[];
  const { targets } = readRecipients(given, known, openSecret(box, alert), (path, reason) =>
    failures.set(path.replace("body.recipient", "body.recipientOverrides"), reason),
  );
  if (failures.size > 0) throw validationError(failures);
  return targets.map((target) => ({
    ...target,
    secret: target.secret ?? known.find(({ targetUrl }) => targetUrl === target.targetUrl)?.secret,
  }));
}

const SAMPLE_ADDRESS = "0x0000000000000000000000000000000000000001";

function sampleMessage(alert: Alert, body: AlertTestBody, nowMs: number, pageUrl: PageUrl) {
  const at = new Date(nowMs).toISOString();
  const firing = newId("test");
  if (alert.trigger === "metric") return sampleMetric(alert, nowMs, pageUrl);
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
