/**
 * Whether a workspace has a form. Webhooks ask before they subscribe to one, and forms before they store an answer. Forms
 * import webhooks, so the question lies below both.
 */
import { isId } from "../lib/ids.ts";
import type { Backend, Reader, Tx } from "./store.ts";

export async function hasForm(db: Reader, workspaceId: string, formId: string): Promise<boolean> {
  return isId("frm", formId) && (await selectForm(db, workspaceId, formId).executeTakeFirst()) !== undefined;
}

/** As `hasForm`, and keeps the form until the transaction ends, where transactions run side by side. */
export async function lockForm(tx: Tx, backend: Backend, workspaceId: string, formId: string): Promise<boolean> {
  if (!isId("frm", formId)) return false;
  const query = selectForm(tx, workspaceId, formId);
  // Not FOR UPDATE: that would wait for every submission, which only needs the form to stay.
  return (await (backend.skipLocked ? query.forNoKeyUpdate() : query).executeTakeFirst()) !== undefined;
}

function selectForm(db: Reader, workspaceId: string, formId: string) {
  return db
    .selectFrom("forms")
    .select("id")
    .where("id", "=", formId)
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null);
}
