import { FORM_LIMITS } from "../../contract/forms.ts";
import type { Problem } from "../../forms/answers.ts";
import type { AnswerField, Field } from "../../forms/form.ts";
import { type Html, html } from "../../lib/html.ts";

/** The input of a person, as the browser sent it: several texts for a checkbox group. */
export type Typed = ReadonlyMap<string, readonly string[]>;

interface Shown {
  field: AnswerField;
  /** The control's id, which the error summary links to. */
  id: string;
  values: readonly string[];
  problem: Problem | undefined;
  /** Ids of the help and error texts. */
  describedBy: string;
}

/** The autocomplete purpose of a field, by the names that people give such questions (WCAG 1.3.5). */
const AUTOCOMPLETE: Record<string, string> = {
  name: "name",
  full_name: "name",
  your_name: "name",
  first_name: "given-name",
  last_name: "family-name",
  phone: "tel",
  phone_number: "tel",
  company: "organization",
  organization: "organization",
  job_title: "organization-title",
  country: "country-name",
  city: "address-level2",
};

const FORMAT_HINTS: Partial<Record<Field["type"], string>> = {
  url: "Starts with https://",
  wallet: "An EVM address (0x…) or a Solana address.",
  file: "Only the file’s name is sent, not the file itself.",
};

const SIGN_HINT = "Your wallet signs a message, which proves that it is yours. It costs nothing.";

export function controlId(key: string): string {
  return `field-${key}`;
}

export function renderField(field: Field, typed: Typed, problems: ReadonlyMap<string, Problem>): Html {
  if (field.type === "heading") return html`<h2 class="section" dir="auto">${field.label}</h2>`;
  if (field.key === null) return html`<p class="text" dir="auto">${field.label}</p>`;
  const id = controlId(field.key);
  const problem = problems.get(field.key);
  const format = field.proof === "signature" ? SIGN_HINT : FORMAT_HINTS[field.type];
  const hints = [field.help, format].filter((text) => text !== undefined && text !== "");
  const describedBy = [hints.length > 0 && `${id}-help`, problem && `${id}-error`].filter(Boolean).join(" ");
  const shown: Shown = {
    field: { ...field, key: field.key },
    id,
    values: typed.get(field.key) ?? [],
    problem,
    describedBy,
  };
  const help = hints.length > 0 && html`<p class="help" id="${id}-help" dir="auto">${hints.join("\n")}</p>`;
  const error = problem && html`<p class="error" id="${id}-error">${problem.page}</p>`;
  const kind = html`field${problem ? " bad" : ""}`;
  if (isGroup(field))
    return html`<fieldset class="${kind}"${describedBy !== "" && html` aria-describedby="${describedBy}"`}><legend dir="auto">${nameOf(field)}</legend>${help}${renderGroup(shown)}${error}</fieldset>`;
  if (field.type === "checkbox") return html`<div class="${kind}">${renderCheckbox(shown)}${help}${error}</div>`;
  return html`<div class="${kind}"><label class="label" for="${id}" dir="auto">${nameOf(field)}</label>${help}${renderControl(shown)}${error}</div>`;
}

function isGroup(field: Field): boolean {
  return field.type === "radio" || field.type === "checkbox_group" || field.type === "rating";
}

function nameOf(field: Field): Html {
  return html`${field.label}${field.required && html` <span class="star" aria-hidden="true">*</span><span class="quiet"> (required)</span>`}`;
}

function renderControl(shown: Shown): Html {
  return (CONTROLS[shown.field.type] ?? renderText)(shown, shown.values.at(-1) ?? "");
}

type Control = (shown: Shown, value: string) => Html;

const CONTROLS: Partial<Record<Field["type"], Control>> = {
  // The HTML parser drops one line break right after the tag: this one, not the first that was typed.
  long_text: (shown, value) => html`<textarea class="control" rows="5" dir="auto" ${common(shown)}>
${value}</textarea>`,
  email: (shown, value) =>
    html`<input class="control" type="email" autocomplete="email" value="${value}" ${common(shown)}>`,
  url: (shown, value) => html`<input class="control" type="url" autocomplete="url" value="${value}" ${common(shown)}>`,
  // Not type=number: it drops input that it cannot parse, before an error can be shown.
  number: (shown, value) =>
    html`<input class="control short" type="text" inputmode="decimal" value="${value}" ${common(shown)}>`,
  date: (shown, value) => html`<input class="control short" type="date" value="${value}" ${common(shown)}>`,
  wallet: (shown, value) =>
    shown.field.proof === "signature"
      ? renderProof(shown, value)
      : html`<input class="control mono" type="text" autocapitalize="off" autocomplete="off" spellcheck="false" value="${value}" ${common(shown)}>`,
  social: (shown, value) =>
    html`<input class="control" type="text" autocapitalize="off" spellcheck="false" value="${value}" ${common(shown)}>`,
  select: renderSelect,
  file: renderFile,
};

function renderText(shown: Shown, value: string): Html {
  const { key } = shown.field;
  const purpose = Object.hasOwn(AUTOCOMPLETE, key) ? AUTOCOMPLETE[key] : undefined;
  return html`<input class="control" type="text" dir="auto" value="${value}"${purpose !== undefined && html` autocomplete="${purpose}"`} ${common(shown)}>`;
}

function renderSelect(shown: Shown, value: string): Html {
  const options = shown.field.options.map(
    (option) =>
      html`<option value="${option.value}"${option.value === value && html` selected`}>${option.label}</option>`,
  );
  return html`<select class="control" ${common(shown)}><option value="">Please choose</option>${options}</select>`;
}

/** No browser lets a page fill in a file input again, so a hidden input keeps the name. */
function renderFile(shown: Shown, value: string): Html {
  const kept = html`<input type="hidden" name="${shown.field.key}" value="${value}"><p class="help">Chosen: <strong>${value}</strong>. Choose again to replace it.</p>`;
  return html`${value !== "" && kept}<input class="control" type="file" ${common(shown)}>`;
}

/** The address is shown; the hidden input has the proof, which stays while other answers are corrected. */
function renderProof({ field, id, problem, describedBy }: Shown, value: string): Html {
  const address = problem === undefined ? (/^\{"address":"(0x[0-9a-fA-F]{40})"/.exec(value)?.[1] ?? "") : "";
  const kept = address === "" ? "" : value;
  const described = `${describedBy === "" ? "" : `${describedBy} `}${id}-status`;
  return html`<div class="proof" data-wallet-proof><input class="control mono" type="text" readonly placeholder="Not signed yet" id="${id}" value="${address}"${problem && html` aria-invalid="true"`} aria-describedby="${described}"><input type="hidden" name="${field.key}" value="${kept}"><div class="wallets" data-wallets></div><p class="help" role="status" id="${id}-status">This question needs JavaScript and a wallet in this browser: the wallet has to sign.</p></div>`;
}

/** Attributes of every single control. */
function common({ field, id, problem, describedBy }: Shown): Html {
  return html`id="${id}" name="${field.key}"${field.required && html` required`}${problem && html` aria-invalid="true"`}${describedBy !== "" && html` aria-describedby="${describedBy}"`}`;
}

function renderCheckbox(shown: Shown): Html {
  const checked = shown.values.includes("true");
  return html`<label class="choice" dir="auto"><input type="checkbox" value="true"${checked && html` checked`} ${common(shown)}><span>${nameOf(shown.field)}</span></label>`;
}

function renderGroup({ field, id, values, problem }: Shown): Html {
  const type = field.type === "checkbox_group" ? "checkbox" : "radio";
  const invalid = problem && html` aria-invalid="true"`;
  const input = (value: string, i: number) =>
    html`<input type="${type}" name="${field.key}" value="${value}" id="${i === 0 ? id : `${id}-${i}`}"${values.includes(value) && html` checked`}${type === "radio" && field.required && html` required`}${invalid}>`;
  if (field.type === "rating") {
    const steps = Array.from({ length: FORM_LIMITS.ratingMax }, (_, i) => String(i + 1));
    return html`<div class="rating">${steps.map(
      (step, i) =>
        html`<label class="rate">${input(step, i)}${STAR}<span aria-hidden="true">${step}</span><span class="quiet">${step} of ${steps.length}</span></label>`,
    )}</div><p class="ends" aria-hidden="true"><span>lowest</span><span>highest</span></p>`;
  }
  return html`<div class="choices">${field.options.map(
    (option, i) => html`<label class="choice" dir="auto">${input(option.value, i)}<span>${option.label}</span></label>`,
  )}</div>`;
}

const STAR: Html = {
  html: '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="m12 3 2.8 5.7 6.2.9-4.5 4.4 1.1 6.2L12 17.3l-5.6 2.9 1.1-6.2L3 9.6l6.2-.9z"/></svg>',
};
