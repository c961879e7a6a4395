import { answerFields, type Form } from "../../forms/form.ts";
import { judgePage } from "../../forms/judge-page.ts";
import { rateHeaders } from "../rate-limit.ts";
import type { Answer } from "../route.ts";
import type { HostedDeps, HostedRequest } from "./deps.ts";
import { type FormPage, formPage } from "./form-page.ts";
import { headersOf } from "./form-style.ts";
import { findExceeded } from "./limits.ts";
import { readPosted } from "./read-form.ts";
import { checkProven, readProofs, submitProven, usedProblems } from "./wallet-proof.ts";

const NOTICES = {
  unknown: { title: "Please send once more", text: "Check your answers below and press Send." },
  expired: {
    title: "Please send once more",
    text: "This page was open for a long time. Your answers are still here: check them and press Send.",
  },
  other: {
    title: "Your answers have arrived already",
    text: "What you sent before was taken. To send these answers as well, press Send once more.",
  },
} as const;

function formAnswer(status: number, page: FormPage, headers: Record<string, string> = {}): Answer {
  const text = formPage(page);
  return { status, text, contentType: "text/html; charset=utf-8", headers: { ...headersOf(text), ...headers } };
}

/** A submission by a browser: it redirects to the thanks page, or shows the page again with everything typed. */
export async function submitHtml(request: HostedRequest, form: Form, deps: HostedDeps): Promise<Answer> {
  const nowMs = deps.clock.nowMs();
  const posted = readPosted(request.body, answerFields(form.fields));
  const base = { form, typed: posted.typed, problems: new Map() };
  const judged = judgePage(deps.tokens, form.id, posted, nowMs);
  // Without a valid token nothing was typed in a page of ours, so the time to fill one in starts now.
  const sinceMs = judged.kind === "again" && judged.why === "unknown" ? nowMs : nowMs - FILLED_MS;
  const fresh = () => deps.tokens.issue(form.id, sinceMs);
  const exceeded = await findExceeded(deps, request, form.id);
  if (exceeded) {
    const seconds = exceeded.verdict.resetSeconds;
    const notice = {
      title: "Please wait a moment",
      text: `Too many answers came at once. Yours are still here: send them again in ${seconds} seconds.`,
    };
    const page = { ...base, token: posted.token || fresh(), notice };
    return formAnswer(429, page, rateHeaders(exceeded.verdict));
  }
  const proofs = await readProofs(form, posted.answers, deps, nowMs);
  const checked = checkProven(form, proofs);
  const again = judged.kind === "again";
  if (!checked.ok)
    return formAnswer(400, { ...base, token: again ? fresh() : posted.token, problems: checked.problems });
  if (again) return formAnswer(400, { ...base, token: fresh(), notice: NOTICES[judged.why] });
  const { tokenHash, spam } = judged;
  const done = await submitProven(deps.store, form, { item: checked.item, tokenHash, spam, nowMs }, proofs);
  if (done === undefined)
    return formAnswer(400, { ...base, token: posted.token, problems: usedProblems(form, proofs) });
  if (done.kind === "other") return formAnswer(409, { ...base, token: fresh(), notice: NOTICES.other });
  deps.wakeDelivery();
  // A relative URL of the page itself: it works behind any proxy and with or without a trailing slash.
  return { status: 303, text: "", headers: { Location: "?sent=1", "Cache-Control": "no-store" } };
}

/**
 * The new token of a page that was filled in before is dated back, because its answers are already there: sending them
 * at once must not look like a robot (forms/judge-page.ts).
 */
const FILLED_MS = 10_000;
