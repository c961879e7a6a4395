import type { Config } from "../installation/config.ts";
import { describeOutcome } from "../mail/describe-outcome.ts";
import { type CheckResult, fail, ok, skip } from "./check.ts";

/** Whether the mail server answers and takes the sign-in. Sends nothing. */
export async function checkMail({ SMTP_URL, MAIL_FROM }: Config): Promise<CheckResult[]> {
  if (SMTP_URL === undefined) return [skip("mail", "off: SEXTANT_SMTP_URL is not set")];
  const { createMailer } = await import("../mail/smtp.ts");
  const mailer = createMailer({ ...SMTP_URL, from: MAIL_FROM });
  const outcome = await mailer.check();
  await mailer.close();
  const text = describeOutcome(SMTP_URL, outcome);
  return [outcome.kind === "sent" ? ok("mail", text) : fail("mail", text, "see docs/scheduled-reports.md")];
}
