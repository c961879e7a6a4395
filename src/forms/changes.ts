import type { Field, Form } from "./form.ts";

interface Change<T> {
  from: T;
  to: T;
}

interface FieldName {
  id: string;
  key: string | null;
  label: string;
}

/** The changes of an update, as a FORM_UPDATED event lists them. */
export interface FormChanges {
  title?: Change<string>;
  description?: Change<string>;
  fields?: {
    added: FieldName[];
    removed: FieldName[];
    /** `previousKey` is the key before the update, if the update changed it. */
    changed: (FieldName & { changed: string[]; previousKey?: string | null })[];
    reordered: boolean;
  };
}

const PARTS = ["key", "label", "type", "required", "help", "proof", "options"] as const;

/** Undefined if the two forms are equal. */
export function findChanges(before: Form, after: Form): FormChanges | undefined {
  const fields = fieldChanges(before.fields, after.fields);
  const changes: FormChanges = {
    ...(before.title === after.title ? {} : { title: { from: before.title, to: after.title } }),
    ...(before.description === after.description
      ? {}
      : { description: { from: before.description, to: after.description } }),
    ...(fields ? { fields } : {}),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}

function fieldChanges(before: readonly Field[], after: readonly Field[]): FormChanges["fields"] {
  const old = new Map(before.map((field) => [field.id, field]));
  const now = new Set(after.map((field) => field.id));
  const added = after.filter((field) => !old.has(field.id)).map(nameOf);
  const removed = before.filter((field) => !now.has(field.id)).map(nameOf);
  const changed = after.flatMap((field) => {
    const was = old.get(field.id);
    const parts = was ? PARTS.filter((part) => JSON.stringify(was[part]) !== JSON.stringify(field[part])) : [];
    if (was === undefined || parts.length === 0) return [];
    return [{ ...nameOf(field), changed: parts, ...(was.key === field.key ? {} : { previousKey: was.key }) }];
  });
  const order = (fields: readonly Field[]) =>
    fields
      .map((field) => field.id)
      .filter((id) => old.has(id) && now.has(id))
      .join();
  const reordered = order(before) !== order(after);
  if (added.length + removed.length + changed.length === 0 && !reordered) return undefined;
  return { added, removed, changed, reordered };
}

function nameOf(field: Field): FieldName {
  return { id: field.id, key: field.key, label: field.label };
}
