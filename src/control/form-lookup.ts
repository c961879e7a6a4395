/**
 * Whether a workspace has a form. Webhooks check it before a subscription, forms before they store an answer. `forms`
 * imports `webhooks`, so the lookup lies below both.
 */
import { isId } from "../lib/ids.ts";
import type { Backend, Reader, Tx } from "./store.ts";

export async function hasForm(db: Reader, workspaceId: string, formId: string): Promise<boolean> {
  return isId("frm", formId) && (await selectForm(db, workspaceId, formId).executeTakeFirst()) !== undefined;
}

/** Like `hasForm`, and on PostgreSQL locks the form until the transaction ends. */
export async function lockForm(tx: Tx, backend: Backend, workspaceId: string, formId: string): Promise<boolean> {
  if (!isId("frm", formId)) return false;
  const query = selectForm(tx, workspaceId, formId);
  // Not FOR UPDATE: that would wait for every running submission, and a submission only needs the form to exist.
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
