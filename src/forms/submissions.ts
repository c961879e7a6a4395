import { sql } from "kysely";
import { LIMITS } from "../contract/limits.ts";
import type { FindMark, Start } from "../control/long-list.ts";
import type { ControlStore, Reader, Tx } from "../control/store.ts";
import { isId } from "../lib/ids.ts";
import type { StoredSubmission } from "./response-item.ts";

/** Why a submission is suspected to be spam. */
export type SpamReason = "honeypot" | "too_fast";

export interface NewSubmission extends StoredSubmission {
  /** The token of its page; null if it was not typed into a hosted page. */
  tokenHash: string | null;
  spam: SpamReason | null;
}

export type ListedSubmission = StoredSubmission & { spam: SpamReason | null };

/** False if the page's token is already used. */
export async function insertSubmission(
  tx: Tx,
  workspaceId: string,
  formId: string,
  submission: NewSubmission,
): Promise<boolean> {
  const done = await tx
    .insertInto("submissions")
    .values({
      id: submission.id,
      workspace_id: workspaceId,
      form_id: formId,
      submitted_at: submission.submittedAtMs,
      item: JSON.stringify(submission.item),
      token_hash: submission.tokenHash,
      spam: submission.spam === null ? 0 : 1,
      spam_reason: submission.spam,
    })
    .onConflict((conflict) => conflict.column("token_hash").doNothing())
    .executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n;
}

export async function findByToken(
  tx: Tx,
  workspaceId: string,
  formId: string,
  tokenHash: string,
): Promise<{ id: string; item: string } | undefined> {
  return tx
    .selectFrom("submissions")
    .select(["id", "item"])
    .where("workspace_id", "=", workspaceId)
    .where("form_id", "=", formId)
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
}

const COLUMNS = ["id", "submitted_at", "item", "spam_reason"] as const;

/** The place of a submission in its list. */
interface Mark {
  atMs: number;
  id: string;
}

interface Window {
  spam: boolean;
  limit: number;
  start: Start<Mark>;
}

/** Newest first. */
export async function listSubmissions(
  db: Reader,
  workspaceId: string,
  formId: string,
  window: Window,
): Promise<ListedSubmission[]> {
  const rows = await selectWindow(db, workspaceId, formId, window).select(COLUMNS).execute();
  return rows.map(toSubmission);
}

export async function findSubmission(
  db: Reader,
  workspaceId: string,
  formId: string,
  submissionId: string,
): Promise<ListedSubmission | undefined> {
  if (!isId("sub", submissionId)) return undefined;
  const row = await db
    .selectFrom("submissions")
    .select(COLUMNS)
    .where("id", "=", submissionId)
    .where("workspace_id", "=", workspaceId)
    .where("form_id", "=", formId)
    .executeTakeFirst();
  return row && toSubmission(row);
}

export async function eraseSubmission(tx: Tx, workspaceId: string, submissionId: string): Promise<void> {
  await tx.deleteFrom("submissions").where("workspace_id", "=", workspaceId).where("id", "=", submissionId).execute();
}

/** The size of each submission of the list in bytes, without reading the submissions. */
export async function measureSubmissions(
  db: Reader,
  workspaceId: string,
  formId: string,
  window: Window,
): Promise<number[]> {
  const bytes = sql<number>`octet_length(item)`;
  const rows = await selectWindow(db, workspaceId, formId, window).select(bytes.as("bytes")).execute();
  return rows.map((row) => row.bytes);
}

/**
 * Newest first, read from the end of one index: ten rows cost the same with ten submissions and with a million. The
 * form is a range of that index between two bounds instead of three equalities: until statistics are gathered,
 * PostgreSQL estimates a handful of rows for equalities and sorts all 200,000 (185 ms instead of 0.1 ms).
 */
function selectWindow(db: Reader, workspaceId: string, formId: string, { spam, limit, start }: Window) {
  const kind = spam ? 1 : 0;
  return db
    .selectFrom("submissions")
    .where(({ eb, refTuple, tuple }) => {
      const place = refTuple("workspace_id", "form_id", "spam", "submitted_at");
      const from = eb(place, ">=", tuple(workspaceId, formId, kind, 0));
      if (start.after === undefined)
        return from.and(eb(place, "<=", tuple(workspaceId, formId, kind, Number.MAX_SAFE_INTEGER)));
      const exact = refTuple("workspace_id", "form_id", "spam", "submitted_at", "id");
      return from.and(eb(exact, "<", tuple(workspaceId, formId, kind, start.after.atMs, start.after.id)));
    })
    .orderBy("workspace_id", "desc")
    .orderBy("form_id", "desc")
    .orderBy("spam", "desc")
    .orderBy("submitted_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(start.skip);
}

/** For steps through the list. */
export function findSubmissionMark(db: Reader, workspaceId: string, formId: string, spam: boolean): FindMark<Mark> {
  return async (start) => {
    const found = selectWindow(db, workspaceId, formId, { spam, limit: 1, start }).select(["submitted_at", "id"]);
    const row = await found.executeTakeFirst();
    return row && { atMs: row.submitted_at, id: row.id };
  };
}

export async function countSubmissions(
  db: Reader,
  workspaceId: string,
  formId: string,
  spam: boolean,
): Promise<number> {
  const row = await db
    .selectFrom("submission_counts")
    .select("n")
    .where("workspace_id", "=", workspaceId)
    .where("form_id", "=", formId)
    .where("spam", "=", spam ? 1 : 0)
    .executeTakeFirst();
  return row?.n ?? 0;
}

function toSubmission(row: {
  id: string;
  submitted_at: number;
  item: string;
  spam_reason: string | null;
}): ListedSubmission {
  return {
    id: row.id,
    submittedAtMs: row.submitted_at,
    item: JSON.parse(row.item) as Record<string, unknown>,
    spam: row.spam_reason as SpamReason | null,
  };
}

const SPAM_KEPT_MS = LIMITS.keptDays * 86_400_000;
/** A step of this size takes some 10 ms on SQLite, so a submission never waits noticeably for the writer. */
const PURGE_ROWS = 1_000;

/**
 * Erases one step of the submissions of deleted forms and of old suspected spam, and returns their number. Call it
 * until it returns 0. SQLite answers without a turn of the event loop, so the caller rests between two steps.
 */
export async function purgeSubmissions(store: ControlStore, nowMs: number): Promise<number> {
  return store.write(async (tx) => (await eraseOrphans(tx)) + (await eraseSpam(tx, nowMs)));
}

async function eraseOrphans(tx: Tx): Promise<number> {
  const orphans = tx
    .selectFrom("submissions")
    .innerJoin("forms", (join) =>
      join.onRef("forms.workspace_id", "=", "submissions.workspace_id").onRef("forms.id", "=", "submissions.form_id"),
    )
    .select("submissions.id")
    .where("forms.deleted_at", "is not", null)
    .limit(PURGE_ROWS);
  const done = await tx.deleteFrom("submissions").where("id", "in", orphans).executeTakeFirst();
  return Number(done.numDeletedRows);
}

async function eraseSpam(tx: Tx, nowMs: number): Promise<number> {
  const old = tx
    .selectFrom("submissions")
    .select("id")
    // A literal: SQLite does not use a partial index for a bound value.
    .where("spam", "=", sql.lit(1))
    .where("submitted_at", "<", nowMs - SPAM_KEPT_MS)
    .limit(PURGE_ROWS);
  const done = await tx.deleteFrom("submissions").where("id", "in", old).executeTakeFirst();
  return Number(done.numDeletedRows);
}
