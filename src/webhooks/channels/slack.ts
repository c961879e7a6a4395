/** Incoming webhooks of Slack, and of servers that take the same form (Mattermost, Rocket.Chat). */
import type { Shaped, Unsigned } from "../shaped.ts";
import { cut, type Message } from "./message.ts";

/** Slack refuses more than 50 blocks, 150 characters of a header, 10 fields of a section and 2,000 of a field. */
const LIMITS = { header: 150, text: 3_000, fieldsOfSection: 10, lines: 20, value: 300 } as const;

export function renderSlack({ title, lines, link }: Message): string {
  const fields = lines.slice(0, LIMITS.lines).map(({ label, value }) => ({
    type: "mrkdwn",
    // Slack makes no link and no mention of what an event says.
    verbatim: true,
    text: `*${escapeMarkup(label)}*\n${escapeMarkup(cut(value, LIMITS.value)) || "–"}`,
  }));
  const sections = [];
  for (let at = 0; at < fields.length; at += LIMITS.fieldsOfSection)
    sections.push({ type: "section", fields: fields.slice(at, at + LIMITS.fieldsOfSection) });
  return JSON.stringify({
    text: cut(escapeMarkup(title), LIMITS.text),
    blocks: [
      { type: "header", text: { type: "plain_text", text: cut(title, LIMITS.header) } },
      ...sections,
      ...(link === undefined
        ? []
        : [{ type: "context", elements: [{ type: "mrkdwn", text: `<${escapeMarkup(link)}|Open in Sextant>` }] }]),
    ],
  });
}

export function shapeSlack({ payload: body }: Unsigned): Shaped {
  return { body, headers: { "content-type": "application/json" } };
}

/** The three characters that begin a mention or a link. */
function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
