/** Webhooks of Discord. Nobody is mentioned, whatever an event says. */
import type { Shaped, Unsigned } from "../shaped.ts";
import { cut, type Message } from "./message.ts";

/** Discord refuses more than 2,000 characters of content, 25 fields, 6,000 characters of all embeds. */
const LIMITS = { content: 2_000, title: 256, name: 100, value: 180, lines: 20 } as const;

export function renderDiscord({ title, lines, link }: Message): string {
  return JSON.stringify({
    content: cut(title, LIMITS.content),
    embeds: [
      {
        title: cut(title, LIMITS.title),
        ...(link === undefined ? {} : { url: link }),
        fields: lines.slice(0, LIMITS.lines).map(({ label, value }) => ({
          name: cut(label, LIMITS.name) || "–",
          value: cut(value, LIMITS.value) || "–",
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
