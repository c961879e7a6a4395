/** The mails of this room: the one that asks an owner, and those of alerts, which are lines of text. */
import { html } from "../lib/html.ts";
import { button, COLOURS, link, mailPage } from "./html.ts";
import type { ConfirmPayload, TextPayload, WriteContext, WrittenMail } from "./payload.ts";

/** Members choose the name of a workspace, and strangers read it: letters and digits make no link and no offer. */
function plainName(name: string): string {
  const plain = name
    .replace(/[^\p{L}\p{N} ]+/gu, " ")
    .replace(/ +/g, " ")
    .trim();
  return plain.length <= 40 ? plain : `${plain.slice(0, 39)}…`;
}

export function writeConfirm({ workspace }: ConfirmPayload, confirmUrl: string, publicUrl: string): WrittenMail {
  const { host } = new URL(publicUrl);
  const about = `The workspace “${plainName(workspace)}” of Sextant at ${host} wants to send reports and alerts to this address.`;
  const advice = "If you do not know about it, ignore this mail: nothing else is sent.";
  const subject = "Confirm your address";
  const body = html`<h1 class="text" style="margin:0;font-size:22px;line-height:1.3;color:${COLOURS.text}">${subject}</h1>
<p style="margin:16px 0 0">${about}</p>${button(confirmUrl, "Confirm this address")}`;
  return {
    subject,
    text: `${about}\n\nConfirm it here: ${confirmUrl}\n\n${advice}\n`,
    html: mailPage({ title: subject, preview: about, body, foot: html`${advice}` }),
  };
}

export function writeText({ subject, text, link: page }: TextPayload, { unsubscribeUrl }: WriteContext): WrittenMail {
  const [title = "", ...lines] = text.split("\n");
  const body = html`<h1 class="text" style="margin:0 0 12px;font-size:20px;line-height:1.3;color:${COLOURS.text}">${title}</h1>
${lines.map((line) => (line === page ? html`${link(line, "Open in Sextant")}<br>` : html`${line}<br>`))}`;
  return {
    subject,
    text: `${text}\n\nUnsubscribe: ${unsubscribeUrl}\n`,
    html: mailPage({
      title: subject,
      preview: lines.join(" ").trim().slice(0, 120),
      body,
      foot: link(unsubscribeUrl, "Unsubscribe"),
    }),
  };
}
