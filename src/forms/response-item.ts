import type { Answer } from "./answers.ts";
import type { AnswerField } from "./form.ts";

/**
 * The contract's form response item (2.5): the answers under their keys, and the form and submission they belong to.
 */
export interface ResponseItem {
  id: string;
  formId: string;
  formTitle: string;
  submissionId: string;
  submittedAt: string;
  [key: string]: unknown;
}

export interface StoredSubmission {
  id: string;
  submittedAtMs: number;
  item: Record<string, unknown>;
}

/**
 * The stored form of a submission: one property per answer field, in the form's order, with the current labels.
 * Renaming or removing an option later does not change what was chosen.
 */
export function toItem(fields: readonly AnswerField[], answers: ReadonlyMap<string, Answer>): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.key, toValue(field, answers.get(field.key))]));
}

function toValue(field: AnswerField, answer: Answer | undefined): unknown {
  const labelOf = (value: string) => field.options.find((option) => option.value === value)?.label ?? value;
  switch (answer?.kind) {
    case undefined:
      return emptyValue(field);
    case "choice":
      return labelOf(answer.value);
    case "choices":
      return answer.values.map((value) => ({ label: labelOf(value), value }));
    case "identity":
      return answer.address;
    case "file":
      return { name: answer.name, size: answer.size, type: answer.type };
    case "plain":
      return answer.value;
  }
}

function emptyValue(field: AnswerField): unknown {
  if (field.type === "checkbox") return false;
  return field.type === "checkbox_group" ? [] : null;
}

export function responseItem(form: { id: string; title: string }, submission: StoredSubmission): ResponseItem {
  return {
    id: submission.id,
    formId: form.id,
    formTitle: form.title,
    submissionId: submission.id,
    submittedAt: new Date(submission.submittedAtMs).toISOString(),
    // Cannot overwrite one of the names above: keys.ts reserves them.
    ...submission.item,
  };
}
