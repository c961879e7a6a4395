import type { FieldType, FormDraft, FormView } from "../contract/forms.ts";
import { newId } from "../lib/ids.ts";
import { assignKeys, toSnakeCase } from "./keys.ts";

export interface Choice {
  label: string;
  value: string;
}

export interface Field {
  id: string;
  /** The name of the answer; null for a heading or paragraph, which has none. */
  key: string | null;
  label: string;
  type: FieldType;
  required: boolean;
  help: string;
  /** Of a wallet: its answer must be signed. */
  proof?: "signature";
  options: readonly Choice[];
}

/** A field that has an answer. */
export type AnswerField = Field & { key: string };

export interface Form {
  id: string;
  workspaceId: string;
  title: string;
  description: string;
  fields: readonly Field[];
  version: number;
  createdAtMs: number;
  updatedAtMs: number;
}

const isDisplay = (type: FieldType): boolean => type === "heading" || type === "paragraph";
export const hasOptions = (type: FieldType): boolean =>
  type === "select" || type === "radio" || type === "checkbox_group";

export function answerFields(fields: readonly Field[]): AnswerField[] {
  return fields.filter((field): field is AnswerField => field.key !== null);
}

/**
 * The fields of a checked draft. An existing field keeps its id. It also keeps its key while the snake_case form of its
 * label is unchanged. For a new form, `before` is empty.
 */
export function buildFields(draft: FormDraft["fields"], before: readonly Field[]): Field[] {
  const known = matchFields(draft, before);
  const answered = draft.flatMap(({ label, type }, i) => {
    if (isDisplay(type as FieldType)) return [];
    const old = known[i];
    const same = old !== undefined && old.key !== null && toSnakeCase(old.label) === toSnakeCase(label);
    return [{ at: i, label, kept: same ? (old.key ?? undefined) : undefined }];
  });
  const keys = assignKeys(answered);
  const keyAt = new Map(answered.map(({ at }, i) => [at, keys[i] ?? null]));
  return draft.map((one, i) => ({
    id: known[i]?.id ?? newId("fld"),
    key: keyAt.get(i) ?? null,
    label: one.label.trim(),
    type: one.type as FieldType,
    required: one.required === true && !isDisplay(one.type as FieldType),
    help: (one.help ?? "").trim(),
    ...(one.proof === "signature" ? { proof: "signature" as const } : {}),
    options: (one.options ?? []).map(({ label, value }) => ({ label: label.trim(), value: value ?? label.trim() })),
  }));
}

/** Finds the existing field of each draft field: by id, otherwise by the same type and name. */
function matchFields(draft: FormDraft["fields"], before: readonly Field[]): (Field | undefined)[] {
  const left = new Map(before.map((field) => [field.id, field]));
  const named = draft.map(({ id }) => {
    const field = id === undefined ? undefined : left.get(id);
    if (field) left.delete(field.id);
    return field;
  });
  const byName = Map.groupBy(left.values(), nameOf);
  return draft.map((one, i) => (one.id === undefined ? byName.get(nameOf(one))?.shift() : named[i]));
}

/** Two fields match if this text is equal. A heading or paragraph has no key, so its own text is compared. */
function nameOf({ type, label }: { type: string; label: string }): string {
  return `${type} ${isDisplay(type as FieldType) ? label.trim() : toSnakeCase(label)}`;
}

export function viewForm(form: Form, publicApiUrl: string): FormView {
  return {
    id: form.id,
    title: form.title,
    description: form.description,
    url: `${publicApiUrl}/f/${form.id}`,
    fields: form.fields.map((field) => ({ ...field, options: [...field.options] })),
    createdAt: new Date(form.createdAtMs).toISOString(),
    updatedAt: new Date(form.updatedAtMs).toISOString(),
  };
}
