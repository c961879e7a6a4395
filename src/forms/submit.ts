import { hasForm } from "../control/form-lookup.ts";
import type { Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";
import { recordEvent } from "../webhooks/outbox.ts";
import { ofForm } from "../webhooks/sources.ts";
import type { Form } from "./form.ts";
import { formNotFound } from "./manage.ts";
import { responseItem } from "./response-item.ts";
import { findByToken, insertSubmission, type SpamReason } from "./submissions.ts";

export interface Arrival {
  item: Record<string, unknown>;
  /** The token of the page; null if the answers were not typed into a hosted page. */
  tokenHash: string | null;
  spam: SpamReason | null;
  nowMs: number;
}

/**
 * `repeated`: the page was already submitted with the same answers. `other`: with different answers; the new ones are
 * not stored.
 */
export interface Submitted {
  kind: "stored" | "repeated" | "other";
  submissionId: string;
}

/**
 * Stores checked answers and their deliveries in one transaction. Of two posts of one page, the unique token accepts
 * one. Suspected spam creates no deliveries. The form was read before the transaction: if it has been deleted since
 * then, the submission fails.
 */
export async function submitAnswers(tx: Tx, form: Form, arrival: Arrival): Promise<Submitted> {
  if (!(await hasForm(tx, form.workspaceId, form.id))) throw formNotFound();
  const submission = {
    id: newId("sub"),
    submittedAtMs: arrival.nowMs,
    item: arrival.item,
    tokenHash: arrival.tokenHash,
    spam: arrival.spam,
  };
  if (!(await insertSubmission(tx, form.workspaceId, form.id, submission))) return findFirst(tx, form, arrival);
  if (arrival.spam === null) {
    const body = responseItem(form, submission);
    const event = { source: ofForm(form.id), type: "FORM_SUBMISSION", body, nowMs: arrival.nowMs } as const;
    await recordEvent(tx, form.workspaceId, event);
  }
  return { kind: "stored", submissionId: submission.id };
}

async function findFirst(tx: Tx, form: Form, arrival: Arrival): Promise<Submitted> {
  const first = await findByToken(tx, form.workspaceId, form.id, arrival.tokenHash ?? "");
  if (first === undefined) throw new Error("a page's token is taken, but not by a submission");
  const same = first.item === JSON.stringify(arrival.item);
  return { kind: same ? "repeated" : "other", submissionId: first.id };
}
