/**
 * Webhooks of Discord. Nobody is mentioned, and no text is a link to somewhere else, whatever an event says: everybody may
 * send events, and `[reward](https://...)` would be a link under the name of the team's own service.
 */
import type { Shaped, Unsigned } from "../shaped.ts";
import { cut, type Message } from "./message.ts";

/** Discord refuses more than 2,000 characters of content, 25 fields, 6,000 characters of all embeds. */
const LIMITS = { content: 2_000, title: 256, name: 100, value: 180, lines: 20 } as const;

export function renderDiscord({ title, lines, link }: Message): string {
  return JSON.stringify({
    content: cut(escapeMarkup(title), LIMITS.content),
    embeds: [
      {
        title: cut(escapeMarkup(title), LIMITS.title),
        ...(link === undefined ? {} : { url: link }),
        fields: lines.slice(0, LIMITS.lines).map(({ label, value }) => ({
          name: cut(escapeMarkup(label), LIMITS.name) || "–",
          value: cut(escapeMarkup(value), LIMITS.value) || "–",
          inline: value.length <= 40,
        })),
      },
    ],
    allowed_mentions: { parse: [] },
  });
}

export function shapeDiscord({ payload: body }: Unsigned): Shaped {
  return { body, headers: { "content-type": "application/json" } };
}

/**
 * What begins links with another text, mentions, code, spoilers and emphasis. Not `_`, `-`, `#` and brackets of other
 * kinds: they do no harm alone, and addresses of pages, which Discord makes links of, would be broken by backslashes.
 */
function escapeMarkup(text: string): string {
  return text.replace(/[\\*`|[\]<>]/g, "\\$&");
}
