import { type FieldType, FORM_LIMITS, type FormDraft } from "../contract/forms.ts";
import { validationError } from "../contract/validation-error.ts";
import { type Field, hasOptions } from "./form.ts";

/**
 * Line breaks and tabs are allowed; other control characters are not, and PostgreSQL does not accept NUL. Lone
 * surrogates are refused because a store would replace them.
 */
const CONTROL = /[^\P{Cc}\t\n\r]|\p{Cs}/u;

/** The rules that the schema of a form cannot express. Throws all failures at once. */
export function checkForm(draft: FormDraft, before: readonly Field[]): void {
  const failures = new Map<string, string>();
  checkText(failures, "body.title", draft.title);
  if (draft.description !== undefined && CONTROL.test(draft.description))
    failures.set("body.description", "must not contain control characters");
  const ids = new Set<string>();
  draft.fields.forEach((field, i) => {
    const path = `body.fields.${i}`;
    checkText(failures, `${path}.label`, field.label);
    if (field.type !== "paragraph" && field.label.length > FORM_LIMITS.labelChars)
      failures.set(`${path}.label`, `must have at most ${FORM_LIMITS.labelChars} characters`);
    if (field.help !== undefined && CONTROL.test(field.help))
      failures.set(`${path}.help`, "must not contain control characters");
    if (field.id !== undefined) {
      if (!before.some(({ id }) => id === field.id)) failures.set(`${path}.id`, "is not a field of this form");
      else if (ids.has(field.id)) failures.set(`${path}.id`, "names the same field as another one");
      ids.add(field.id);
    }
    if (field.proof !== undefined && field.type !== "wallet")
      failures.set(`${path}.proof`, `is not for fields of type ${field.type}`);
    checkOptions(failures, path, field);
  });
  if (failures.size > 0) throw validationError(failures);
}

function checkText(failures: Map<string, string>, path: string, text: string): void {
  if (text.trim() === "") failures.set(path, "must not be empty");
  else if (CONTROL.test(text)) failures.set(path, "must not contain control characters");
}

function checkOptions(failures: Map<string, string>, path: string, field: FormDraft["fields"][number]): void {
  const options = field.options ?? [];
  if (!hasOptions(field.type as FieldType)) {
    if (options.length > 0) failures.set(`${path}.options`, `is not for fields of type ${field.type}`);
    return;
  }
  if (options.length === 0) failures.set(`${path}.options`, "must have at least 1 item");
  const seen = new Set<string>();
  options.forEach((option, i) => {
    checkText(failures, `${path}.options.${i}.label`, option.label);
    const value = option.value ?? option.label.trim();
    if (value.trim() !== value || CONTROL.test(value) || /[\r\n]/.test(value))
      failures.set(`${path}.options.${i}.value`, "must not begin or end with a blank or contain control characters");
    else if (seen.has(value)) failures.set(`${path}.options.${i}.value`, "is the value of another option already");
    seen.add(value);
  });
}
