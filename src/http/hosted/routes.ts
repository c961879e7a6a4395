import { FormParams, SubmissionBody, SubmitAnswer } from "../../contract/forms.ts";
import { findPublicForm } from "../../forms/forms.ts";
import { formNotFound } from "../../forms/manage.ts";
import type { HostedDeps, HostedRequest, HostedRoute } from "../route.ts";
import { thanksPage } from "./form-page.ts";
import { FORM_HEADERS } from "./form-style.ts";
import { formAnswer, submitHtml } from "./submit-html.ts";
import { submitJson } from "./submit-json.ts";

const TAG = "Hosted forms";

export const getHostedForm: HostedRoute = {
  method: "GET",
  path: "/f/:formId",
  operationId: "getHostedForm",
  tag: TAG,
  summary: "The page people fill in",
  access: "open",
  params: FormParams,
  answers: { 200: "text/html" },
  serve: async (request, deps) => {
    const form = await getPublicForm(request, deps);
    if (request.query.sent === undefined)
      return formAnswer(200, {
        form,
        token: deps.tokens.issue(form.id, deps.clock.nowMs()),
        typed: new Map(),
        problems: new Map(),
      });
    return { status: 200, text: thanksPage(form), contentType: "text/html; charset=utf-8", headers: FORM_HEADERS };
  },
};

export const submitHostedForm: HostedRoute = {
  method: "POST",
  path: "/f/:formId",
  operationId: "submitForm",
  tag: TAG,
  summary: "Submit a form",
  description:
    "JSON, or what the hosted page's HTML form sends. A browser (`Accept: text/html`) is led on to a page, or shown its errors in one; everybody else gets JSON.",
  access: "visitor",
  params: FormParams,
  body: SubmissionBody,
  answers: { 201: SubmitAnswer, 303: "text/html" },
  serve: async (request, deps) => {
    const form = await getPublicForm(request, deps);
    return request.wantsPage ? submitHtml(request, form, deps) : submitJson(request, form, deps);
  },
};

async function getPublicForm(request: HostedRequest, deps: HostedDeps) {
  const form = await findPublicForm(deps.store.read, request.formId);
  if (form === undefined) throw formNotFound();
  return form;
}
