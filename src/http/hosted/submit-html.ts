import { checkAnswers } from "../../forms/check-answers.ts";
import { answerFields, type Form } from "../../forms/form.ts";
import { judgePage } from "../../forms/judge-page.ts";
import { submitAnswers } from "../../forms/submit.ts";
import { rateHeaders } from "../rate-limit.ts";
import type { Answer, HostedDeps, HostedRequest } from "../route.ts";
import { type FormPage, formPage } from "./form-page.ts";
import { FORM_HEADERS } from "./form-style.ts";
import { findExceeded } from "./limits.ts";
import { readPosted } from "./read-form.ts";

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
  return {
    status,
    text: formPage(page),
    contentType: "text/html; charset=utf-8",
    headers: { ...FORM_HEADERS, ...headers },
  };
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
  const checked = checkAnswers(answerFields(form.fields), posted.answers);
  const again = judged.kind === "again";
  if (!checked.ok)
    return formAnswer(400, { ...base, token: again ? fresh() : posted.token, problems: checked.problems });
  if (again) return formAnswer(400, { ...base, token: fresh(), notice: NOTICES[judged.why] });
  const { tokenHash, spam } = judged;
  const done = await deps.store.write((tx) => submitAnswers(tx, form, { item: checked.item, tokenHash, spam, nowMs }));
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
