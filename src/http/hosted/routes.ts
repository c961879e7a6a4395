import { FormParams, SubmissionBody, SubmitAnswer } from "../../contract/forms.ts";
import { findPublicForm, findPublicVersion } from "../../forms/forms.ts";
import { formNotFound } from "../../forms/manage.ts";
import type { Answer, HostedDeps, HostedRequest, HostedRoute } from "../route.ts";
import { thanksPage } from "./form-page.ts";
import { headersOf } from "./form-style.ts";
import { submitHtml } from "./submit-html.ts";
import { submitJson } from "./submit-json.ts";

const TAG = "Hosted forms";

export const getHostedForm: HostedRoute = {
  method: "GET",
  path: "/f/:formId",
  operationId: "getHostedForm",
  tag: TAG,
  summary: "The page people fill in",
  access: "open",
  perReader: true,
  params: FormParams,
  answers: { 200: "text/html" },
  serve: async (request, deps) => {
    const found = await findPublicVersion(deps.store.read, request.formId);
    if (found === undefined) throw formNotFound();
    if (request.query.sent !== undefined) return pageAnswer(thanksPage(found));
    const token = deps.tokens.issue(request.formId, deps.clock.nowMs());
    const kept = deps.pages.find(request.formId, found.version, token);
    return pageAnswer(kept ?? deps.pages.put(await getPublicForm(request, deps), token));
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

function pageAnswer(text: string): Answer {
  return { status: 200, text, contentType: "text/html; charset=utf-8", headers: headersOf(text) };
}
