import { ApiError } from "../contract/errors.ts";
import { FORM_LIMITS, type FormDraft } from "../contract/forms.ts";
import { approach, type TakeTurn } from "../control/long-list.ts";
import type { Reader, Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";
import { recordEvent } from "../webhooks/outbox.ts";
import { ofForm } from "../webhooks/sources.ts";
import {
  eraseSubmissionDeliveries,
  listSubmissionDeliveries,
  type SubmissionDelivery,
} from "../webhooks/submission-deliveries.ts";
import { deleteWebhooks } from "../webhooks/subscriptions.ts";
import { findChanges } from "./changes.ts";
import { checkForm } from "./check-form.ts";
import { buildFields, type Form } from "./form.ts";
import { countForms, findForm, insertForm, listForms, markFormDeleted, measureForms, updateForm } from "./forms.ts";
import { fitPage, type Page, type Paging, toPage, windowOf } from "./page.ts";
import { type ResponseItem, responseItem } from "./response-item.ts";
import {
  countSubmissions,
  eraseSubmission,
  findSubmission,
  findSubmissionMark,
  type ListedSubmission,
  listSubmissions,
  measureSubmissions,
  type SpamReason,
} from "./submissions.ts";

const POLLED = 10;
const BEGINNING = { after: undefined, skip: 0 };

export async function createForm(tx: Tx, workspaceId: string, draft: FormDraft, nowMs: number): Promise<Form> {
  checkForm(draft, []);
  if ((await countForms(tx, workspaceId)) >= FORM_LIMITS.perWorkspace)
    throw new ApiError("BAD_REQUEST", `A workspace has at most ${FORM_LIMITS.perWorkspace} forms: delete one first`);
  const form = {
    id: newId("frm"),
    workspaceId,
    title: draft.title.trim(),
    description: (draft.description ?? "").trim(),
    fields: buildFields(draft.fields, []),
    version: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  await insertForm(tx, form);
  return form;
}

export async function getForm(db: Reader, workspaceId: string, formId: string): Promise<Form> {
  const form = await findForm(db, workspaceId, formId);
  if (form === undefined) throw formNotFound();
  return form;
}

/** One message for a form that is absent, deleted or of another workspace. */
export function formNotFound(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such form");
}

export async function getFormPage(db: Reader, workspaceId: string, paging: Paging): Promise<Page<Form>> {
  const fitting = fitPage(paging, await measureForms(db, workspaceId, windowOf(paging)));
  const data = await listForms(db, workspaceId, windowOf(fitting));
  return toPage(fitting, data, await countForms(db, workspaceId));
}

/** Writes the new form and its FORM_UPDATED deliveries together. Without a change there is no update. */
export async function replaceForm(
  tx: Tx,
  workspaceId: string,
  formId: string,
  draft: FormDraft,
  nowMs: number,
): Promise<Form> {
  const before = await getForm(tx, workspaceId, formId);
  checkForm(draft, before.fields);
  const after: Form = {
    ...before,
    title: draft.title.trim(),
    description: (draft.description ?? "").trim(),
    fields: buildFields(draft.fields, before.fields),
    version: before.version + 1,
    updatedAtMs: Math.max(nowMs, before.updatedAtMs),
  };
  const changes = findChanges(before, after);
  if (changes === undefined) return before;
  if (!(await updateForm(tx, workspaceId, after)))
    throw new ApiError("CONFLICT", "The form was changed by somebody else at the same moment: read it and try again");
  const updatedAt = new Date(after.updatedAtMs).toISOString();
  const body = { formId, formTitle: after.title, updatedAt, changes };
  await recordEvent(tx, workspaceId, { source: ofForm(formId), type: "FORM_UPDATED", body, nowMs });
  return after;
}

export async function deleteForm(tx: Tx, workspaceId: string, formId: string, nowMs: number): Promise<void> {
  if (!(await markFormDeleted(tx, workspaceId, formId, nowMs))) throw formNotFound();
  await deleteWebhooks(tx, workspaceId, { source: ofForm(formId) }, nowMs);
}

/** The contract's poll: the ten newest submissions. */
export async function pollForm(db: Reader, workspaceId: string, formId: string): Promise<ResponseItem[]> {
  const form = await getForm(db, workspaceId, formId);
  const newest = await listSubmissions(db, workspaceId, formId, { spam: false, limit: POLLED, start: BEGINNING });
  return newest.map((submission) => responseItem(form, submission));
}

type SubmissionItem = ResponseItem & { spamReason?: SpamReason };

export async function getSubmission(
  db: Reader,
  workspaceId: string,
  formId: string,
  submissionId: string,
): Promise<SubmissionItem> {
  const form = await getForm(db, workspaceId, formId);
  const submission = await findSubmission(db, workspaceId, formId, submissionId);
  if (submission === undefined) throw new ApiError("NOT_FOUND", "There is no such submission");
  return submissionItem(form, submission);
}

export async function getSubmissionDeliveries(
  db: Reader,
  workspaceId: string,
  formId: string,
  submissionId: string,
): Promise<SubmissionDelivery[]> {
  const { id, submittedAtMs } = await requireSubmission(db, workspaceId, formId, submissionId);
  return listSubmissionDeliveries(db, workspaceId, { formId, submissionId: id, submittedAtMs });
}

/**
 * Erases a submission and everything that holds its answers: the payloads of its deliveries and what targets have
 * answered to them. Returns what was on its way, and who has the answers already.
 */
export async function deleteSubmission(
  tx: Tx,
  workspaceId: string,
  formId: string,
  submissionId: string,
): Promise<{ cancelled: number; sentTo: string[] }> {
  const { id, submittedAtMs } = await requireSubmission(tx, workspaceId, formId, submissionId);
  const erased = await eraseSubmissionDeliveries(tx, workspaceId, { formId, submissionId: id, submittedAtMs });
  await eraseSubmission(tx, workspaceId, id);
  const unsent = erased.filter(({ state, attempts }) => state !== "sending" && attempts === 0);
  const sentTo = erased.filter((one) => !unsent.includes(one)).map(({ targetUrl }) => targetUrl);
  return {
    cancelled: erased.filter(({ state }) => state === "pending").length,
    sentTo: [...new Set(sentTo)],
  };
}

async function requireSubmission(
  db: Reader,
  workspaceId: string,
  formId: string,
  submissionId: string,
): Promise<ListedSubmission> {
  await getForm(db, workspaceId, formId);
  const submission = await findSubmission(db, workspaceId, formId, submissionId);
  if (submission === undefined) throw new ApiError("NOT_FOUND", "There is no such submission");
  return submission;
}

export async function getSubmissionPage(
  db: Reader,
  workspaceId: string,
  formId: string,
  query: Paging & { spam: boolean },
  takeTurn: TakeTurn,
  signal?: AbortSignal,
): Promise<Page<SubmissionItem>> {
  const form = await getForm(db, workspaceId, formId);
  const { spam } = query;
  const total = await countSubmissions(db, workspaceId, formId, spam);
  const { offset } = windowOf(query);
  if (offset >= total) return toPage(query, [], total);
  const findMark = findSubmissionMark(db, workspaceId, formId, spam);
  const start = await approach(offset, findMark, () => takeTurn(workspaceId, signal));
  const sizes = await measureSubmissions(db, workspaceId, formId, { spam, limit: query.size, start });
  // A page that is made smaller begins at the same entry.
  const fitting = fitPage(query, sizes);
  const found = await listSubmissions(db, workspaceId, formId, { spam, limit: fitting.size, start });
  const data = found.map((one) => submissionItem(form, one));
  return toPage(fitting, data, total);
}

function submissionItem(form: Form, submission: ListedSubmission): SubmissionItem {
  return { ...responseItem(form, submission), ...(submission.spam ? { spamReason: submission.spam } : {}) };
}
