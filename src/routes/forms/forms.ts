import {
  FormAnswer,
  FormBody,
  FormDeletedAnswer,
  FormListAnswer,
  FormListQuery,
  FormParams,
  PAGE_NOTE,
  SubmissionAnswer,
  SubmissionDeletedAnswer,
  SubmissionDeliveriesAnswer,
  SubmissionListAnswer,
  SubmissionListQuery,
  SubmissionParams,
} from "../../contract/forms.ts";
import type { TakeTurn } from "../../control/long-list.ts";
import { viewForm } from "../../forms/form.ts";
import {
  createForm,
  deleteForm,
  deleteSubmission,
  getForm,
  getFormPage,
  getSubmission,
  getSubmissionDeliveries,
  getSubmissionPage,
  replaceForm,
} from "../../forms/manage.ts";
import { type Route, readRoute, success, writeRoute } from "../../http/route.ts";

const READ = { tag: "Forms", access: "forms:read" } as const;
const WRITE = { tag: "Forms", access: "forms:write" } as const;

export interface FormNeeds {
  /** For the links to the pages of forms. */
  publicApiUrl: () => string;
  /** For the steps of reading a long list. */
  takeTurn: TakeTurn;
}

export function formRoutes(needs: FormNeeds): Route[] {
  return [
    listFormsRoute(needs),
    getFormRoute(needs),
    listSubmissionsRoute(needs),
    getSubmissionRoute,
    listSubmissionDeliveriesRoute,
    createFormRoute(needs),
    replaceFormRoute(needs),
    deleteFormRoute,
    deleteSubmissionRoute,
  ];
}

const listFormsRoute = ({ publicApiUrl }: FormNeeds) =>
  readRoute({
    ...READ,
    method: "GET",
    path: "/api/forms",
    operationId: "listForms",
    summary: "List forms, newest first",
    description: PAGE_NOTE,
    query: FormListQuery,
    answers: { 200: FormListAnswer },
    handle: async ({ db, key, parts: { query } }) => {
      const found = await getFormPage(db, key.workspaceId, query);
      return { status: 200, body: { ...found, data: found.data.map((form) => viewForm(form, publicApiUrl())) } };
    },
  });

const getFormRoute = ({ publicApiUrl }: FormNeeds) =>
  readRoute({
    ...READ,
    method: "GET",
    path: "/api/forms/:formId",
    operationId: "getForm",
    summary: "Read a form",
    params: FormParams,
    answers: { 200: FormAnswer },
    handle: async ({ db, key, parts: { params } }) => {
      const form = await getForm(db, key.workspaceId, params.formId);
      return success(viewForm(form, publicApiUrl()));
    },
  });

const listSubmissionsRoute = ({ takeTurn }: FormNeeds) =>
  readRoute({
    ...READ,
    method: "GET",
    path: "/api/forms/:formId/submissions",
    operationId: "listSubmissions",
    summary: "List a form's submissions, newest first",
    description: PAGE_NOTE,
    params: FormParams,
    query: SubmissionListQuery,
    answers: { 200: SubmissionListAnswer },
    handle: async ({ db, key, parts: { params, query }, signal }) => ({
      status: 200,
      body: await getSubmissionPage(db, key.workspaceId, params.formId, query, takeTurn, signal),
    }),
  });

const getSubmissionRoute = readRoute({
  ...READ,
  method: "GET",
  path: "/api/forms/:formId/submissions/:submissionId",
  operationId: "getSubmission",
  summary: "Read a submission",
  description: "Where a webhook's thin payload leads to. Suspected spam is found, too, and says so.",
  params: SubmissionParams,
  answers: { 200: SubmissionAnswer },
  handle: async ({ db, key, parts: { params } }) =>
    success(await getSubmission(db, key.workspaceId, params.formId, params.submissionId)),
});

const listSubmissionDeliveriesRoute = readRoute({
  ...READ,
  method: "GET",
  path: "/api/forms/:formId/submissions/:submissionId/deliveries",
  operationId: "listSubmissionDeliveries",
  summary: "List the webhook deliveries of a submission",
  description: "One for each webhook that takes submissions of the form, as long as the delivery log keeps it.",
  params: SubmissionParams,
  answers: { 200: SubmissionDeliveriesAnswer },
  handle: async ({ db, key, parts: { params } }) => {
    const found = await getSubmissionDeliveries(db, key.workspaceId, params.formId, params.submissionId);
    const deliveries = found.map(({ settledAtMs, ...delivery }) => ({
      ...delivery,
      settledAt: settledAtMs === null ? null : new Date(settledAtMs).toISOString(),
    }));
    return success({ deliveries });
  },
});

const createFormRoute = ({ publicApiUrl }: FormNeeds) =>
  writeRoute({
    ...WRITE,
    method: "POST",
    path: "/api/forms",
    operationId: "createForm",
    summary: "Create a form",
    description: "The answer's `url` is the page people fill in; its fields carry the keys their answers come under.",
    body: FormBody,
    answers: { 201: FormAnswer },
    handle: async ({ key, parts: { body }, nowMs }, tx) => {
      const form = await createForm(tx, key.workspaceId, body, nowMs);
      return success(viewForm(form, publicApiUrl()), 201);
    },
  });

const replaceFormRoute = ({ publicApiUrl }: FormNeeds) =>
  writeRoute({
    ...WRITE,
    method: "PUT",
    path: "/api/forms/:formId",
    operationId: "replaceForm",
    summary: "Replace a form",
    description:
      "Fires FORM_UPDATED when something changed. A field keeps its key while its label reads the same in snake_case; submissions that are there already stay as they are.",
    wakesDelivery: true,
    params: FormParams,
    body: FormBody,
    answers: { 200: FormAnswer },
    handle: async ({ key, parts: { params, body }, nowMs }, tx) => {
      const form = await replaceForm(tx, key.workspaceId, params.formId, body, nowMs);
      return success(viewForm(form, publicApiUrl()));
    },
  });

const deleteFormRoute = writeRoute({
  ...WRITE,
  method: "DELETE",
  path: "/api/forms/:formId",
  operationId: "deleteForm",
  summary: "Delete a form and its submissions",
  description: "The form is gone at once, its submissions are erased within minutes. This cannot be undone.",
  params: FormParams,
  answers: { 200: FormDeletedAnswer },
  handle: async ({ key, parts: { params }, nowMs }, tx) => {
    await deleteForm(tx, key.workspaceId, params.formId, nowMs);
    return success({ id: params.formId });
  },
});

const deleteSubmissionRoute = writeRoute({
  ...WRITE,
  method: "DELETE",
  path: "/api/forms/:formId/submissions/:submissionId",
  operationId: "deleteSubmission",
  summary: "Delete a submission",
  description:
    "Erases the answers here, at once: in the submission, in the log of its deliveries and in those that are not sent yet. Targets that have received them keep them. This cannot be undone.",
  params: SubmissionParams,
  answers: { 200: SubmissionDeletedAnswer },
  handle: async ({ key, parts: { params } }, tx) => {
    const { formId, submissionId } = params;
    const { cancelled, sentTo } = await deleteSubmission(tx, key.workspaceId, formId, submissionId);
    const data = { id: submissionId, cancelledDeliveries: cancelled, sentTo };
    const details = { formId, cancelledDeliveries: cancelled, sentTo: sentTo.length };
    return { status: 200, body: { isSuccess: true, data }, audit: { target: submissionId, details } };
  },
});
