import type { Problem } from "../../forms/answers.ts";
import { answerFields, type Form } from "../../forms/form.ts";
import { type Html, html } from "../../lib/html.ts";
import { controlId, renderField, type Typed } from "./form-fields.ts";
import { FORM_STYLE, SCRIPT_TAG } from "./form-style.ts";

/** Names of the inputs that are not answers. No field key begins with an underscore, so they cannot collide. */
export const TOKEN_INPUT = "_token";
export const TRAP_INPUT = "_homepage";

export interface FormPage {
  form: Form;
  token: string;
  typed: Typed;
  problems: ReadonlyMap<string, Problem>;
  /** The reason why the page is shown again, if it is not for the problems. */
  notice?: { title: string; text: string } | undefined;
}

/** The page that people fill in: plain HTML, without scripts unless a wallet has to sign, with the typed values and their errors. */
export function formPage({ form, token, typed, problems, notice }: FormPage): string {
  const wrong = answerFields(form.fields).filter(({ key }) => problems.has(key));
  const failed = wrong.length > 0 || notice !== undefined;
  const required = form.fields.some((field) => field.required);
  return hostedDocument(
    `${failed ? "Error: " : ""}${form.title}`,
    html`<h1 dir="auto">${form.title}</h1>
${form.description !== "" && html`<p class="lead" dir="auto">${form.description}</p>`}
${required && html`<p class="note"><span class="star" aria-hidden="true">*</span> means that an answer is required.</p>`}
${notice && renderNotice(notice)}
${
  wrong.length > 0 &&
  html`<div class="summary" role="group" aria-labelledby="summary-title" tabindex="-1" autofocus><h2 id="summary-title">${wrong.length === 1 ? "One answer needs" : `${wrong.length} answers need`} your attention</h2><ul>${wrong.map(
    (field) =>
      html`<li><a href="#${controlId(field.key)}">${field.label}</a>: ${problems.get(field.key)?.page ?? ""}</li>`,
  )}</ul></div>`
}
<form method="post" novalidate>
${form.fields.map((field) => html`${renderField(field, typed, problems)}\n`)}
<div class="aside" aria-hidden="true"><label>Leave this empty <input type="text" name="${TRAP_INPUT}" tabindex="-1" autocomplete="off"></label></div>
<input type="hidden" name="${TOKEN_INPUT}" value="${token}">
<button class="send" type="submit">Send</button>
</form>`,
    form.fields.some(({ proof }) => proof === "signature") ? SCRIPT_TAG : "",
  );
}

function renderNotice({ title, text }: { title: string; text: string }): Html {
  return html`<div class="summary" role="group" aria-labelledby="notice-title" tabindex="-1" autofocus><h2 id="notice-title">${title}</h2><p>${text}</p></div>`;
}

/** The target after sending: a page of its own, so that a reload sends nothing again. */
export function thanksPage(form: { title: string }): string {
  return hostedDocument(
    `Thank you · ${form.title}`,
    html`<div class="done"><span class="badge"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="m5 12.5 4.6 4.6L19 7.6"/></svg></span>
<h1>Thank you</h1>
<p class="lead" dir="auto">Your answers to “${form.title}” have arrived. You can close this page.</p>
<a class="again" href="?">Send another answer</a></div>`,
  );
}

/** For failures: an unknown form, a body that is too large, or an error of the service. */
export function problemPage(title: string, text: string): string {
  return hostedDocument(
    title,
    html`<div class="done"><span class="badge plain"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 7v6.5M12 17.2v.1"/></svg></span>
<h1>${title}</h1>
<p class="lead">${text}</p></div>`,
  );
}

export function hostedDocument(title: string, body: Html, script = ""): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231d56c9'/%3E%3Cpath d='M4 5h8M4 8h8M4 11h5' stroke='white' stroke-width='1.5' stroke-linecap='round'/%3E%3C/svg%3E">
<style>${{ html: FORM_STYLE }}</style>
</head>
<body>
<div class="shell">
<main>${body}</main>
<footer>Made with Sextant</footer>
</div>${{ html: script === "" ? "" : `\n${script}` }}
</body>
</html>
`.html;
}
