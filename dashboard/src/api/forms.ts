/** The routes of forms, submissions and webhooks. */
import { type ApiRequest, call } from "./client.ts";
import type { Wrapped } from "./session.ts";

export const FIELD_TYPES = {
  short_text: "Short text",
  long_text: "Long text",
  email: "Email",
  url: "Link",
  number: "Number",
  rating: "Rating",
  date: "Date",
  select: "Dropdown",
  radio: "One choice",
  checkbox: "Checkbox",
  checkbox_group: "Several choices",
  file: "File name",
  wallet: "Wallet",
  social: "Social account",
  heading: "Heading",
  paragraph: "Paragraph",
} as const;

export type FieldType = keyof typeof FIELD_TYPES;

export interface FormOption {
  label: string;
  value?: string;
}

export interface FieldDraft {
  id?: string;
  label: string;
  type: FieldType;
  required: boolean;
  help: string;
  /** Of a wallet: it has to sign. */
  proof?: "signature" | undefined;
  options: readonly FormOption[];
}

export interface FormDraft {
  title: string;
  description: string;
  fields: readonly FieldDraft[];
}

export interface Form extends FormDraft {
  id: string;
  url: string;
  fields: readonly (FieldDraft & { id: string; key: string | null })[];
  createdAt: string;
  updatedAt: string;
}

export interface Page<T> {
  data: readonly T[];
  total: number;
  page: number;
  size: number;
  has_more: boolean;
}

/** Each answer is a further property under its field's key. */
export interface Submission {
  id: string;
  submittedAt: string;
  spamReason?: string;
  [key: string]: unknown;
}

export interface Webhook {
  webhookId: string;
  targetUrl: string;
  eventTypes: readonly string[];
  enabled: boolean;
  status: "active" | "disabled" | "ended";
  statusReason: "user" | "failures" | "gone" | null;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
  failures: number;
  disablesAt: string | null;
}

export interface Attempt {
  number: number;
  startedAt: string;
  durationMs: number;
  outcome: "answered" | "refused" | "failed";
  status: number | null;
  reason: string | null;
  response?: string | null;
}

export interface Delivery {
  deliveryId: string;
  eventType: string;
  /** A sample that was asked for. */
  isTest: boolean;
  sequence: number;
  state: string;
  createdAt: string;
  nextAttemptAt: string | null;
  attempts: readonly Attempt[];
  payload?: unknown;
}

/** Questions with a list of choices. */
export function hasOptions(type: FieldType): boolean {
  return type === "select" || type === "radio" || type === "checkbox_group";
}

/** Texts between the questions. */
export function isText(type: FieldType): boolean {
  return type === "heading" || type === "paragraph";
}

/** The body of a create or update request: what the type does not have is left out. */
export function draftBody({ title, description, fields }: FormDraft): object {
  return {
    title,
    description,
    fields: fields.map(({ id, label, type, required, help, proof, options }) => ({
      ...(id === undefined ? {} : { id }),
      label,
      type,
      ...(isText(type) ? {} : { required, help }),
      ...(type === "wallet" && proof ? { proof } : {}),
      ...(hasOptions(type) ? { options } : {}),
    })),
  };
}

export const submissionsRequest = (formId: string, page: number, spam: boolean, size = 50): ApiRequest => ({
  path: `/api/forms/${formId}/submissions`,
  query: { page, size, ...(spam ? { spam } : {}) },
});

/** The service answers at most 200 at once. */
const MOST_AT_ONCE = 200;

/** All submissions, newest first, up to a number. */
export async function readSubmissions(
  formId: string,
  { spam, most, signal, onProgress }: SubmissionsRead,
): Promise<Submission[]> {
  const all: Submission[] = [];
  let [page, size] = [1, MOST_AT_ONCE];
  for (;;) {
    const request = submissionsRequest(formId, page, spam, size);
    const answer = await call<Page<Submission>>({ ...request, ...(signal ? { signal } : {}) });
    all.push(...answer.data);
    onProgress?.(all.length, Math.min(answer.total, most));
    if (!answer.has_more || all.length >= most) return all.slice(0, most);
    // A page of large submissions is answered by a smaller one, which says its own size and number.
    [page, size] = [answer.page + 1, answer.size];
  }
}

interface SubmissionsRead {
  spam: boolean;
  most: number;
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}

export async function unwrap<T>(request: ApiRequest): Promise<T> {
  return (await call<Wrapped<T>>(request)).data;
}
