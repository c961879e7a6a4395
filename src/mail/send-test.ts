/** A mail of the operator, who may send to anybody: neither the outbox nor a confirmation is needed. */

import { html } from "../lib/html.ts";
import { newId } from "../lib/ids.ts";
import { isMailAddress } from "../webhooks/mail-address.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { mailPage } from "./html.ts";
import type { MailServer } from "./mail.ts";
import { createMailer } from "./smtp.ts";

const DEADLINE_MS = 30_000;

export async function sendTestMail(
  server: MailServer | undefined,
  to: string,
): Promise<{ isSent: boolean; message: string }> {
  if (server === undefined) return { isSent: false, message: "SEXTANT_SMTP_URL is not set: no mail is sent" };
  if (!isMailAddress(to)) return { isSent: false, message: "that is no address of mail" };
  const mailer = createMailer(server);
  const [subject, text] = ["Mail of Sextant works", "This is a test: the mail server of the settings takes mail."];
  const page = mailPage({ title: subject, preview: text, body: html`${text}`, foot: html`Sent by sextant mail test` });
  const mail = { to, subject, text, html: page, messageId: `<${newId("tst")}@sextant>`, headers: {} };
  const outcome = await mailer.send(mail, { deadlineMs: DEADLINE_MS });
  await mailer.close();
  const isSent = outcome.kind === "sent";
  return { isSent, message: isSent ? `sent to ${to}` : describeOutcome(server, outcome) };
}
