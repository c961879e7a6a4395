/**
 * Sends a sample to the recipients of an alert, at once and signed as the real ones are, and says of each what became of
 * it. Nothing of it is stored.
 */
import type { AlertTestBody, AlertTestResult } from "../contract/alerts.ts";
import { ApiError } from "../contract/errors.ts";
import { validationError } from "../contract/validation-error.ts";
import type { SecretBox } from "../control/secret-box.ts";
import type { Reader } from "../control/store.ts";
import { findProject } from "../control/tenants.ts";
import { newId } from "../lib/ids.ts";
import { UTC } from "../lib/time-zones.ts";
import { renderMessage } from "../webhooks/channels/index.ts";
import type { Message } from "../webhooks/channels/message.ts";
import { mailboxOf } from "../webhooks/mail-address.ts";
import { listRecipientsWithSecrets, type Recipient, type StoredRecipient } from "../webhooks/recipients.ts";
import type { AttemptOutcome, Sender } from "../webhooks/send.ts";
import { ofAlert } from "../webhooks/sources.ts";
import { STYLES } from "../webhooks/styles.ts";
import type { SendMail } from "../webhooks/worker.ts";
import type { Alert } from "./alerts-table.ts";
import type { PageUrl } from "./messages.ts";
import { type GivenRecipient, readRecipients, showTarget } from "./recipients.ts";
import { sampleMessage } from "./sample-message.ts";
import { openSecret } from "./write-alert.ts";

/** A person waits for the answer. */
const DEADLINE_MS = 10_000;

export interface TestDeps {
  box: SecretBox;
  send: Sender["send"];
  /** Absent: the installation has no mail server. */
  sendMail?: SendMail;
  pageUrl: PageUrl;
}

interface Sending {
  readonly deps: TestDeps;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export async function sendTest(db: Reader, alert: Alert, body: AlertTestBody, sending: Sending) {
  const { deps, nowMs } = sending;
  const targets = await findTargets(db, alert, body, deps);
  if (targets.length === 0)
    throw new ApiError("BAD_REQUEST", "The alert has no recipient to which a test can be sent: add one");
  const { timezone: zone = UTC } = (await findProject(db, alert.workspaceId, alert.projectId)) ?? {};
  const message = sampleMessage(alert, body, { zone, nowMs, pageUrl: deps.pageUrl });
  const results = await Promise.all(
    targets.map(async (target): Promise<AlertTestResult> => {
      const url = showTarget(target);
      if (target.channel !== "email") return { url, ...resultOf(await sendRequest(alert, message, target, sending)) };
      return { url, ...(await testMail(alert, message, target, sending)) };
    }),
  );
  const delivered = results.filter(({ ok }) => ok).length;
  return { delivered, failed: results.length - delivered, results };
}

/** `stored` is the recipient of the alert that it is. */
type Target = Recipient & { readonly stored?: StoredRecipient };

function sendRequest(
  alert: Alert,
  message: Message,
  { channel, targetUrl, secret = "" }: Target,
  { deps, nowMs, signal }: Sending,
): Promise<AttemptOutcome> {
  const payload = renderMessage(channel, message);
  const shaped = STYLES[channel]({
    ...{ id: message.id, payload, eventType: message.type, targetUrl, sourceId: alert.id, nowMs },
    secrets: [secret],
  });
  return deps.send({ url: targetUrl, ...shaped, deadlineMs: DEADLINE_MS, signal });
}

type Result = Omit<AlertTestResult, "url">;

/**
 * By the way of every mail: only to an address whose owner has confirmed it, within the mails of a day. An address that
 * is no recipient of the alert gets none: it has no link to unsubscribe.
 */
async function testMail(
  { workspaceId }: Alert,
  message: Message,
  { targetUrl, stored }: Target,
  { deps, signal }: Sending,
): Promise<Result> {
  if (deps.sendMail === undefined) return unsent("no_mail_server");
  if (stored === undefined) return unsent("unsaved");
  if (stored.status === "ended") return unsent("unsubscribed");
  const mail = { workspaceId, webhookId: stored.webhookId, deliveryId: newId("test"), targetUrl };
  const payload = renderMessage("email", message);
  return resultOf(await deps.sendMail({ ...mail, payload }, { deadlineMs: DEADLINE_MS, signal }));
}

function unsent(reason: string): Result {
  return { ok: false, status: null, reason };
}

function resultOf(outcome: AttemptOutcome): Result {
  if (outcome.kind !== "answered") return unsent(outcome.reason);
  const { status } = outcome;
  return { ok: status >= 200 && status < 300, status, reason: null };
}

async function findTargets(
  db: Reader,
  alert: Alert,
  body: AlertTestBody,
  { box }: TestDeps,
): Promise<readonly Target[]> {
  const known = await listRecipientsWithSecrets(db, alert.workspaceId, ofAlert(alert.id), box);
  if (body.recipientOverrides === undefined) return known.map((stored) => ({ ...stored, stored }));
  const failures = new Map<string, string>();
  const given = body.recipientOverrides as GivenRecipient[];
  const { targets } = readRecipients(given, known, openSecret(box, alert), (path, reason) =>
    failures.set(path.replace("body.recipient", "body.recipientOverrides"), reason),
  );
  if (failures.size > 0) throw validationError(failures);
  return targets.map((target) => {
    const stored = known.find(({ targetUrl }) => isSame(target, targetUrl));
    return { ...target, secret: target.secret ?? stored?.secret, ...(stored === undefined ? {} : { stored }) };
  });
}

/** Addresses of mail are the same in other case. */
function isSame({ channel, targetUrl }: Recipient, other: string): boolean {
  return channel === "email" ? mailboxOf(targetUrl) === mailboxOf(other) : targetUrl === other;
}
