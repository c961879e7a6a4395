import { WalletBeginAnswer, WalletBeginBody } from "../../contract/account.ts";
import { FormParams, SubmissionBody, SubmitAnswer } from "../../contract/forms.ts";
import { findPublicForm, findPublicVersion } from "../../forms/forms.ts";
import { formNotFound } from "../../forms/manage.ts";
import type { Answer, HostedRoute } from "../route.ts";
import type { HostedDeps, HostedRequest } from "./deps.ts";
import { thanksPage } from "./form-page.ts";
import { headersOf } from "./form-style.ts";
import { submitHtml } from "./submit-html.ts";
import { submitJson } from "./submit-json.ts";
import { beginProof } from "./wallet-proof.ts";

const TAG = "Hosted forms";

/** The pages of forms, which people open without a credential. */
export function hostedRoutes({ hosted }: { hosted: HostedDeps }): HostedRoute[] {
  return [
    {
      method: "GET",
      path: "/f/:formId",
      operationId: "getHostedForm",
      tag: TAG,
      summary: "The page people fill in",
      access: "open",
      perReader: true,
      params: FormParams,
      answers: { 200: "text/html" },
      serve: (request) => showForm(request, hosted),
    },
    {
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
      serve: async (request) => {
        const form = await getPublicForm(request, hosted);
        return request.wantsPage ? submitHtml(request, form, hosted) : submitJson(request, form, hosted);
      },
    },
    {
      method: "POST",
      path: "/f/:formId/wallet",
      operationId: "beginWalletProof",
      tag: TAG,
      summary: "Begin to prove a wallet",
      description:
        "The message that the wallet signs, for a form that asks for a signature. Send `{ challengeToken, signature }` as the answer to its wallet field within an hour. Each token proves one submission.",
      access: "visitor",
      params: FormParams,
      body: WalletBeginBody,
      answers: { 200: WalletBeginAnswer },
      serve: (request) => beginProof(request, hosted),
    },
  ];
}

async function showForm(request: HostedRequest, deps: HostedDeps): Promise<Answer> {
  const found = await findPublicVersion(deps.store.read, request.formId);
  if (found === undefined) throw formNotFound();
  if (request.query.sent !== undefined) return pageAnswer(thanksPage(found));
  const token = deps.tokens.issue(request.formId, deps.clock.nowMs());
  const kept = deps.pages.find(request.formId, found.version, token);
  return pageAnswer(kept ?? deps.pages.put(await getPublicForm(request, deps), token));
}

async function getPublicForm(request: HostedRequest, deps: HostedDeps) {
  const form = await findPublicForm(deps.store.read, request.formId);
  if (form === undefined) throw formNotFound();
  return form;
}

function pageAnswer(text: string): Answer {
  return { status: 200, text, contentType: "text/html; charset=utf-8", headers: headersOf(text) };
}
