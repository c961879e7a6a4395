/**
 * A bot of Telegram. Its token is part of the path of every call: it is stored encrypted as the secret of the
 * subscription, whose URL has the server and the chat alone.
 */
import type { Shaped, Unsigned } from "../shaped.ts";
import { cut, type Message } from "./message.ts";

const TEXT_CHARS = 4_096;
const VALUE_CHARS = 300;

/** Plain text: nothing in it is a mark-up. */
export function renderTelegram({ title, lines, link }: Message): string {
  const rows = lines.map(({ label, value }) => `${label}: ${cut(value, VALUE_CHARS)}`);
  const text = [title, "", ...rows, ...(link === undefined ? [] : ["", link])].join("\n");
  return JSON.stringify({ text: cut(text, TEXT_CHARS), link_preview_options: { is_disabled: true } });
}

export function shapeTelegram({ payload, targetUrl, secrets: [token = ""] }: Unsigned): Shaped {
  const { origin, chatId } = readTelegramTarget(targetUrl);
  return {
    url: `${origin}/bot${token}/sendMessage`,
    body: JSON.stringify({ chat_id: chatId, ...(JSON.parse(payload) as object) }),
    headers: { "content-type": "application/json" },
  };
}

export function telegramTarget(origin: string, chatId: string): string {
  return `${origin}/#${encodeURIComponent(chatId)}`;
}

export function readTelegramTarget(targetUrl: string): { origin: string; chatId: string } {
  const { origin, hash } = new URL(targetUrl);
  return { origin, chatId: decodeURIComponent(hash.slice(1)) };
}
