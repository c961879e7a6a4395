import { createRateLimiter } from "../../control/rate-limit.ts";
import { createSecretBox } from "../../control/secret-box.ts";
import type { ControlStore } from "../../control/store.ts";
import type { Config } from "../../installation/config.ts";
import { systemClock } from "../../lib/clock.ts";
import { createMailLinks } from "../../mail/links.ts";
import { createSendMail } from "../../mail/send-delivery.ts";
import { REPORT_WRITERS } from "../../schedules/message.ts";
import type { SendMail } from "../../webhooks/worker.ts";

export interface OpenedMail {
  sendMail: SendMail;
  close(): Promise<void>;
}

/** Undefined where no mail server is set: the library is loaded only where there is one. */
export async function openMail(
  config: Pick<Config, "SMTP_URL" | "MAIL_FROM" | "MAIL_PER_DAY">,
  { store, secret, publicUrl }: { store: ControlStore; secret: Buffer; publicUrl: () => string },
): Promise<OpenedMail | undefined> {
  if (config.SMTP_URL === undefined) return undefined;
  const { createMailer } = await import("../../mail/smtp.ts");
  const mailer = createMailer({ ...config.SMTP_URL, from: config.MAIL_FROM });
  const sendMail = createSendMail({
    store,
    box: createSecretBox(secret, "webhook secrets"),
    mailer,
    links: createMailLinks(secret),
    limiter: createRateLimiter(store),
    perDay: config.MAIL_PER_DAY,
    publicUrl,
    clock: systemClock,
    writers: REPORT_WRITERS,
  });
  return { sendMail, close: mailer.close };
}
