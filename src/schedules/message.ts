/** A report as a message of the outbox, and as the mail that it becomes. */
import type { OtherPayload, WriteContext, WrittenMail } from "../mail/payload.ts";
import type { Message } from "../webhooks/channels/message.ts";
import type { Content } from "./content.ts";
import { renderHtml } from "./mail-html.ts";
import { renderText } from "./mail-text.ts";
import { renderSlack } from "./slack.ts";
import { pathOf, subjectOf } from "./texts.ts";

const MAIL_KIND = "report";

/** `id` is made of the schedule and its days: the same for every attempt to tell it. */
export function toMessage(id: string, content: Content, publicUrl: string): Message {
  const payload = { kind: MAIL_KIND, content };
  return {
    id,
    type: "report.scheduled",
    body: { ...content },
    thinBody: {},
    title: subjectOf(content),
    lines: [],
    payloads: {
      email: JSON.stringify(payload),
      slack: JSON.stringify(renderSlack(content, `${publicUrl}${pathOf(content)}`)),
    },
  };
}

export const REPORT_WRITERS = {
  [MAIL_KIND]: ({ content }: OtherPayload, context: WriteContext) => writeReport(content as Content, context),
} as const;

export function writeReport(
  content: Content,
  { publicUrl, unsubscribeUrl }: Pick<WriteContext, "publicUrl"> & { unsubscribeUrl?: string },
): WrittenMail {
  const links = { report: `${publicUrl}${pathOf(content)}`, unsubscribe: unsubscribeUrl };
  return { subject: subjectOf(content), text: renderText(content, links), html: renderHtml(content, links) };
}
