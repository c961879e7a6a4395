import type { AnswerField } from "../../forms/form.ts";
import type { Typed } from "./form-fields.ts";
import { TOKEN_INPUT, TRAP_INPUT } from "./form-page.ts";

/**
 * The values that an HTML form sent for the fields of the form. A page opened before the form changed may send others.
 */
export interface Posted {
  typed: Typed;
  answers: ReadonlyMap<string, unknown>;
  token: string;
  trap: string;
}

export function readPosted(body: unknown, fields: readonly AnswerField[]): Posted {
  const sent = body instanceof URLSearchParams ? body : new URLSearchParams();
  const typed = new Map<string, readonly string[]>();
  const answers = new Map<string, unknown>();
  for (const { key, type } of fields) {
    const texts = sent.getAll(key).filter((text) => text !== "");
    if (texts.length === 0) continue;
    typed.set(key, texts);
    // The last value of a single answer counts: a newly chosen file follows the kept name.
    answers.set(key, type === "checkbox_group" ? texts : texts.at(-1));
  }
  return { typed, answers, token: sent.get(TOKEN_INPUT) ?? "", trap: sent.get(TRAP_INPUT) ?? "" };
}
