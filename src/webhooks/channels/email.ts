/** A mail. It is no HTTP request: the worker gives it to `sendMail`, where there is one. */
import type { Shaped, Unsigned } from "../shaped.ts";
import { cut, type Message } from "./message.ts";

const SUBJECT_CHARS = 200;

/** Everybody may send events: a value stays in its line, and no line of it is a link of ours. */
export function renderMail({ title, lines, link }: Message): string {
  const rows = lines.map(({ label, value }) => oneLine(`${label}: ${value}`));
  const text = [oneLine(title), "", ...rows, ...(link === undefined ? [] : ["", link])].join("\n");
  return JSON.stringify({ subject: cut(oneLine(title), SUBJECT_CHARS), text, ...(link === undefined ? {} : { link }) });
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

export function shapeMail({ payload: body }: Unsigned): Shaped {
  return { body, headers: {} };
}
