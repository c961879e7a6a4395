import { type FieldType, FORM_LIMITS } from "../contract/forms.ts";
import type { Answer, Problem } from "./answers.ts";
import {
  checkEmail,
  checkIdentity,
  checkSocial,
  checkUrl,
  checkWallet,
  isAnswer,
  NOT_TEXT,
  type Verdict,
} from "./check-value.ts";
import type { AnswerField } from "./form.ts";
import { toItem } from "./response-item.ts";

export type Checked =
  | { ok: true; item: Record<string, unknown> }
  | { ok: false; problems: ReadonlyMap<string, Problem> };

const REQUIRED: Problem = { api: "is required", page: "Please answer this question." };
const CHOOSE: Problem = { api: "must be one of the options", page: "Please choose one of the options." };

/** Checks every answer against its field and reports all problems at once. With any problem, nothing is stored. */
export function checkAnswers(fields: readonly AnswerField[], sent: ReadonlyMap<string, unknown>): Checked {
  const problems = new Map<string, Problem>();
  const answers = new Map<string, Answer>();
  for (const field of fields) {
    const verdict = checkAnswer(field, sent.get(field.key));
    if (verdict === undefined) {
      if (field.required) problems.set(field.key, field.type === "checkbox" ? MUST_CHECK : REQUIRED);
    } else if (isAnswer(verdict)) answers.set(field.key, verdict);
    else problems.set(field.key, verdict);
  }
  if (problems.size > 0) return { ok: false, problems };
  const item = toItem(fields, answers);
  const bytes = Buffer.byteLength(JSON.stringify(item));
  return bytes > FORM_LIMITS.answerBytes ? { ok: false, problems: tooLarge(fields, item) } : { ok: true, item };
}

/** Reports the problem on the longest answer: that is the one to shorten. */
function tooLarge(fields: readonly AnswerField[], item: Record<string, unknown>): Map<string, Problem> {
  const sizes = fields.map(({ key }) => ({ key, size: JSON.stringify(item[key]).length }));
  const longest = sizes.sort((a, b) => b.size - a.size)[0]?.key ?? "";
  const kib = FORM_LIMITS.answerBytes / 1024;
  return new Map([
    [
      longest,
      {
        api: `makes the answers larger than ${kib} KiB together`,
        page: "Your answers are too long together. Please shorten this one.",
      },
    ],
  ]);
}

/** Undefined if there is no answer. */
function checkAnswer(field: AnswerField, sent: unknown): Verdict | undefined {
  const value = typeof sent === "string" ? sent.trim() : sent;
  if (value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0))
    return undefined;
  return CHECKS[field.type](value, field);
}

const MUST_CHECK: Problem = { api: "must be checked", page: "Please tick this box to go on." };

type Check = (value: unknown, field: AnswerField) => Verdict | undefined;

const CHECKS: Record<FieldType, Check> = {
  short_text: (value) => checkText(value, FORM_LIMITS.shortTextChars),
  long_text: (value) => checkText(value, FORM_LIMITS.longTextChars),
  email: checkEmail,
  url: checkUrl,
  number: checkNumber,
  rating: checkRating,
  date: checkDate,
  select: checkChoice,
  radio: checkChoice,
  checkbox: checkBox,
  checkbox_group: checkGroup,
  file: checkFile,
  wallet: (value) => checkIdentity(value, checkWallet),
  social: (value) => checkIdentity(value, checkSocial),
  // Display only: a heading or paragraph has no key and therefore no answer.
  heading: () => undefined,
  paragraph: () => undefined,
};

function checkText(value: unknown, most: number): Verdict {
  if (typeof value !== "string") return NOT_TEXT;
  const text = value.replaceAll("\r\n", "\n");
  if (text.length > most)
    return {
      api: `must have at most ${most} characters`,
      page: `Please use at most ${most.toLocaleString("en")} characters; this has ${text.length.toLocaleString("en")}.`,
    };
  return { kind: "plain", value: text };
}

const DECIMAL = /^[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,3})?$/i;

function checkNumber(value: unknown): Verdict {
  const number = typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number))
    return { api: "must be a number", page: "Enter a number, for example 12 or 3.5." };
  return { kind: "plain", value: number };
}

function checkRating(value: unknown): Verdict {
  const most = FORM_LIMITS.ratingMax;
  const number = typeof value === "string" && /^\d{1,2}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number) || number < 1 || number > most)
    return { api: `must be a whole number from 1 to ${most}`, page: `Please choose from 1 to ${most}.` };
  return { kind: "plain", value: number };
}

function checkDate(value: unknown): Verdict {
  const wrong = { api: "must be a date such as 2026-01-31", page: "Enter a real date, for example 2026-01-31." };
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d$/.test(value)) return wrong;
  const ms = Date.parse(`${value}T00:00:00Z`);
  // The engine reads 30 February as 2 March.
  const real = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value);
  return real ? { kind: "plain", value } : wrong;
}

function checkChoice(value: unknown, field: AnswerField): Verdict {
  const found = field.options.find((option) => option.value === value);
  return found ? { kind: "choice", value: found.value } : CHOOSE;
}

function checkBox(value: unknown): Verdict | undefined {
  if (value === true || value === "on" || value === "true") return { kind: "plain", value: true };
  // An unticked box is no answer: a required box must be ticked.
  return value === false || value === "false" ? undefined : { api: "must be true or false", page: MUST_CHECK.page };
}

function checkGroup(value: unknown, field: AnswerField): Verdict {
  const chosen = new Set(Array.isArray(value) ? (value as unknown[]) : [value]);
  const values = field.options.map((option) => option.value).filter((known) => chosen.delete(known));
  return chosen.size === 0
    ? { kind: "choices", values }
    : { api: "must be an array of option values", page: "Please choose among the options." };
}

const WRONG_FILE: Problem = {
  api: "must be a file name, or an object with name, size and type",
  page: "Please choose a file with a shorter name.",
};

function checkFile(value: unknown): Verdict {
  const file = (typeof value === "object" ? value : { name: value }) as {
    name?: unknown;
    size?: unknown;
    type?: unknown;
  };
  // Some browsers send an invented path before the file's name.
  const name = typeof file.name === "string" ? file.name.replace(/^.*[\\/]/, "").trim() : "";
  const { size = null, type = null } = file;
  if (name === "" || name.length > FORM_LIMITS.fileNameChars) return WRONG_FILE;
  if (size !== null && (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0)) return WRONG_FILE;
  if (type !== null && (typeof type !== "string" || type.length > FORM_LIMITS.fileTypeChars)) return WRONG_FILE;
  return { kind: "file", name, size, type };
}
