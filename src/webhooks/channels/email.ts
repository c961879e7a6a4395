/** A mail. It is no HTTP request: the worker gives it to `sendMail`, where there is one. */
import type { Shaped, Unsigned } from "../shaped.ts";
import { cut, type Message } from "./message.ts";

const SUBJECT_CHARS = 200;

export function renderMail({ title, lines, link }: Message): string {
  const rows = lines.map(({ label, value }) => `${label}: ${value}`);
  const text = [title, "", ...rows, ...(link === undefined ? [] : ["", link])].join("\n");
  return JSON.stringify({ subject: cut(title, SUBJECT_CHARS), text });
}

export function shapeMail({ payload: body }: Unsigned): Shaped {
  return { body, headers: {} };
}
