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
import { type Route, readRoute, writeRoute } from "../route.ts";

const TAG = "Forms";

export function formRoutes(): Route[] {
  return [...readRoutes(), ...writeRoutes()];
}

function readRoutes(): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/api/forms",
      operationId: "listForms",
      tag: TAG,
      summary: "List forms, newest first",
      description: PAGE_NOTE,
      access: "forms:read",
      query: FormListQuery,
      answers: { 200: FormListAnswer },
      handle: async ({ db, key, query, publicApiUrl }) => {
        const found = await getFormPage(db, key.workspaceId, query);
        return { status: 200, body: { ...found, data: found.data.map((form) => viewForm(form, publicApiUrl)) } };
      },
    }),
    readRoute({
      method: "GET",
      path: "/api/forms/:formId",
      operationId: "getForm",
      tag: TAG,
      summary: "Read a form",
      access: "forms:read",
      params: FormParams,
      answers: { 200: FormAnswer },
      handle: async ({ db, key, params, publicApiUrl }) => {
        const form = await getForm(db, key.workspaceId, params.formId);
        return { status: 200, body: { isSuccess: true, data: viewForm(form, publicApiUrl) } };
      },
    }),
    readRoute({
      method: "GET",
      path: "/api/forms/:formId/submissions",
      operationId: "listSubmissions",
      tag: TAG,
      summary: "List a form's submissions, newest first",
      description: PAGE_NOTE,
      access: "forms:read",
      params: FormParams,
      query: SubmissionListQuery,
      answers: { 200: SubmissionListAnswer },
      handle: async ({ db, key, params, query, takeTurn, signal }) => ({
        status: 200,
        body: await getSubmissionPage(db, key.workspaceId, params.formId, query, takeTurn, signal),
      }),
    }),
    readRoute({
      method: "GET",
      path: "/api/forms/:formId/submissions/:submissionId",
      operationId: "getSubmission",
      tag: TAG,
      summary: "Read a submission",
      description: "Where a webhook's thin payload leads to. Suspected spam is found, too, and says so.",
      access: "forms:read",
      params: SubmissionParams,
      answers: { 200: SubmissionAnswer },
      handle: async ({ db, key, params }) => {
        const data = await getSubmission(db, key.workspaceId, params.formId, params.submissionId);
        return { status: 200, body: { isSuccess: true, data } };
      },
    }),
    readRoute({
      method: "GET",
      path: "/api/forms/:formId/submissions/:submissionId/deliveries",
      operationId: "listSubmissionDeliveries",
      tag: TAG,
      summary: "List the webhook deliveries of a submission",
      description: "One for each webhook that takes submissions of the form, as long as the delivery log keeps it.",
      access: "forms:read",
      params: SubmissionParams,
      answers: { 200: SubmissionDeliveriesAnswer },
      handle: async ({ db, key, params }) => {
        const found = await getSubmissionDeliveries(db, key.workspaceId, params.formId, params.submissionId);
        const deliveries = found.map(({ settledAtMs, ...delivery }) => ({
          ...delivery,
          settledAt: settledAtMs === null ? null : new Date(settledAtMs).toISOString(),
        }));
        return { status: 200, body: { isSuccess: true, data: { deliveries } } };
      },
    }),
  ];
}

function writeRoutes(): Route[] {
  return [
    writeRoute({
      method: "POST",
      path: "/api/forms",
      operationId: "createForm",
      tag: TAG,
      summary: "Create a form",
      description: "The answer's `url` is the page people fill in; its fields carry the keys their answers come under.",
      access: "forms:write",
      body: FormBody,
      answers: { 201: FormAnswer },
      handle: async ({ key, body, nowMs, publicApiUrl }, tx) => {
        const form = await createForm(tx, key.workspaceId, body, nowMs);
        return { status: 201, body: { isSuccess: true, data: viewForm(form, publicApiUrl) } };
      },
    }),
    writeRoute({
      method: "PUT",
      path: "/api/forms/:formId",
      operationId: "replaceForm",
      tag: TAG,
      summary: "Replace a form",
      description:
        "Fires FORM_UPDATED when something changed. A field keeps its key while its label reads the same in snake_case; submissions that are there already stay as they are.",
      access: "forms:write",
      wakesDelivery: true,
      params: FormParams,
      body: FormBody,
      answers: { 200: FormAnswer },
      handle: async ({ key, params, body, nowMs, publicApiUrl }, tx) => {
        const form = await replaceForm(tx, key.workspaceId, params.formId, body, nowMs);
        return { status: 200, body: { isSuccess: true, data: viewForm(form, publicApiUrl) } };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/api/forms/:formId",
      operationId: "deleteForm",
      tag: TAG,
      summary: "Delete a form and its submissions",
      description: "The form is gone at once, its submissions are erased within minutes. This cannot be undone.",
      access: "forms:write",
      params: FormParams,
      answers: { 200: FormDeletedAnswer },
      handle: async ({ key, params, nowMs }, tx) => {
        await deleteForm(tx, key.workspaceId, params.formId, nowMs);
        return { status: 200, body: { isSuccess: true, data: { id: params.formId } } };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/api/forms/:formId/submissions/:submissionId",
      operationId: "deleteSubmission",
      tag: TAG,
      summary: "Delete a submission",
      description:
        "Erases the answers here, at once: in the submission, in the log of its deliveries and in those that are not sent yet. Targets that have received them keep them. This cannot be undone.",
      access: "forms:write",
      params: SubmissionParams,
      answers: { 200: SubmissionDeletedAnswer },
      handle: async ({ key, params: { formId, submissionId } }, tx) => {
        const { cancelled, sentTo } = await deleteSubmission(tx, key.workspaceId, formId, submissionId);
        const data = { id: submissionId, cancelledDeliveries: cancelled, sentTo };
        const details = { formId, cancelledDeliveries: cancelled, sentTo: sentTo.length };
        return { status: 200, body: { isSuccess: true, data }, audit: { target: submissionId, details } };
      },
    }),
  ];
}
