import { ApiError } from "../../contract/errors.ts";
import { validationError } from "../../contract/validation-error.ts";
import type { Tx } from "../../control/store.ts";
import type { Problem } from "../../forms/answers.ts";
import { checkAnswers } from "../../forms/check-answers.ts";
import { answerFields, type Form } from "../../forms/form.ts";
import { judgePage } from "../../forms/judge-page.ts";
import type { SpamReason } from "../../forms/submissions.ts";
import { submitAnswers } from "../../forms/submit.ts";
import { JSON_TYPE } from "../headers.ts";
import { runWrite } from "../idempotency.ts";
import { rateHeaders } from "../rate-limit.ts";
import type { Answer } from "../route.ts";
import type { HostedDeps, HostedRequest } from "./deps.ts";
import { TOKEN_INPUT } from "./form-page.ts";
import { findExceeded } from "./limits.ts";
import { readPosted } from "./read-form.ts";
import { checkProven, type Proofs, readProofs, usedProblems, useProofs } from "./wallet-proof.ts";

/** What the answers came with. */
interface Sent {
  tokenHash: string | null;
  spam: SpamReason | null;
}

/** A submission by a program: usually JSON, or texts as an HTML form sends them. It may have an idempotency key. */
export async function submitJson(request: HostedRequest, form: Form, deps: HostedDeps): Promise<Answer> {
  const exceeded = await findExceeded(deps, request, form.id);
  if (exceeded) {
    const whose = exceeded.what === "address" ? "from this address" : "to this form";
    throw new ApiError("TOO_MANY_REQUESTS", `Too many submissions ${whose}`, {
      headers: rateHeaders(exceeded.verdict),
    });
  }
  const nowMs = deps.clock.nowMs();
  // Before the transaction: a contract wallet is asked on its chain.
  const proofs = await readProofs(form, sentAnswers(request.body, form), deps, nowMs);
  const result = await runWrite(
    { store: deps.store, clock: deps.clock, log: request.log },
    {
      workspaceId: form.workspaceId,
      // The form takes the place of a key's project, so that visitors cannot collide with idempotency keys of the
      // workspace.
      projectId: form.id,
      key: request.idempotencyKey,
      method: request.method,
      url: request.url,
      rawBody: request.rawBody,
    },
    async (tx) => {
      const submissionId = await submit(tx, form, readSent(request, form, deps, nowMs), proofs, nowMs);
      return { status: 201, contentType: JSON_TYPE, body: JSON.stringify({ isSuccess: true, data: { submissionId } }) };
    },
  );
  if (!result.replayed) deps.wakeDelivery();
  const headers: Record<string, string> = result.replayed ? { "Idempotency-Replayed": "true" } : {};
  return { status: result.status, text: result.body, contentType: result.contentType, headers };
}

async function submit(tx: Tx, form: Form, sent: Sent, proofs: Proofs, nowMs: number): Promise<string> {
  const checked = checkProven(form, proofs);
  if (!checked.ok) throw invalid(checked.problems);
  const { tokenHash, spam } = sent;
  const done = await submitAnswers(tx, form, { item: checked.item, tokenHash, spam, nowMs });
  if (done.kind === "other")
    throw new ApiError("CONFLICT", "This page was sent already, with other answers: load it again", {
      param: `body.${TOKEN_INPUT}`,
    });
  if (done.kind === "stored" && !(await useProofs(tx, proofs))) throw invalid(usedProblems(form, proofs));
  return done.submissionId;
}

function invalid(problems: ReadonlyMap<string, Problem>): ApiError {
  return validationError(new Map([...problems].map(([key, problem]) => [`body.${key}`, problem.api])));
}

function sentAnswers(body: unknown, form: Form): ReadonlyMap<string, unknown> {
  if (body instanceof URLSearchParams) return readPosted(body, answerFields(form.fields)).answers;
  return new Map(typeof body === "object" && body !== null ? Object.entries(body) : []);
}

function readSent(request: HostedRequest, form: Form, deps: HostedDeps, nowMs: number): Sent {
  if (!(request.body instanceof URLSearchParams)) {
    checkKeys(request.body, form);
    return { tokenHash: null, spam: null };
  }
  const { token, trap } = readPosted(request.body, answerFields(form.fields));
  if (token === "") return { tokenHash: null, spam: trap === "" ? null : "honeypot" };
  const judged = judgePage(deps.tokens, form.id, { token, trap }, nowMs);
  if (judged.kind === "again") {
    const why = judged.why === "expired" ? "has expired: load the page again" : "is not one of this form's page";
    throw validationError(new Map([[`body.${TOKEN_INPUT}`, why]]));
  }
  return { tokenHash: judged.tokenHash, spam: judged.spam };
}

/** An unknown key is refused, because its answer would otherwise be lost. */
function checkKeys(body: unknown, form: Form): void {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw validationError(new Map([["body", "must be an object"]]));
  const answers = new Map<string, unknown>(Object.entries(body));
  const keys = new Set(answerFields(form.fields).map(({ key }) => key));
  const unknown = [...answers.keys()].filter((key) => !keys.has(key));
  if (unknown.length === 0) return;
  const checked = checkAnswers(answerFields(form.fields), answers);
  const known = checked.ok ? [] : [...checked.problems].map(([key, { api }]) => [`body.${key}`, api] as const);
  const strange = unknown.map((key) => [`body.${key.slice(0, 100)}`, "is not a field of this form"] as const);
  throw validationError(new Map([...strange, ...known]));
}
