import { sql } from "kysely";
import type { Reader, Tx } from "../control/store.ts";
import { isId } from "../lib/ids.ts";
import type { Field, Form } from "./form.ts";

const COLUMNS = [
  "id",
  "workspace_id",
  "title",
  "description",
  "fields",
  "version",
  "created_at",
  "updated_at",
] as const;

export async function insertForm(tx: Tx, form: Form): Promise<void> {
  await tx
    .insertInto("forms")
    .values({
      id: form.id,
      workspace_id: form.workspaceId,
      title: form.title,
      description: form.description,
      fields: JSON.stringify(form.fields),
      version: form.version,
      created_at: form.createdAtMs,
      updated_at: form.updatedAtMs,
      deleted_at: null,
    })
    .execute();
}

export async function findForm(db: Reader, workspaceId: string, formId: string): Promise<Form | undefined> {
  if (!isId("frm", formId)) return undefined;
  const row = await selectForms(db, workspaceId).select(COLUMNS).where("id", "=", formId).executeTakeFirst();
  return row && toForm(row);
}

/**
 * The lookup of the hosted page. It takes no workspace: the form's address is the permission, and the form names its
 * workspace.
 */
export async function findPublicForm(db: Reader, formId: string): Promise<Form | undefined> {
  if (!isId("frm", formId)) return undefined;
  const row = await db
    .selectFrom("forms")
    .select(COLUMNS)
    .where("id", "=", formId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row && toForm(row);
}

/** What tells whether a page of the form is still right, without reading its fields, which may be a megabyte. */
export async function findPublicVersion(
  db: Reader,
  formId: string,
): Promise<{ version: number; title: string } | undefined> {
  if (!isId("frm", formId)) return undefined;
  return db
    .selectFrom("forms")
    .select(["version", "title"])
    .where("id", "=", formId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

export async function listForms(
  db: Reader,
  workspaceId: string,
  window: { limit: number; offset: number },
): Promise<Form[]> {
  const rows = await selectNewest(db, workspaceId, window).select(COLUMNS).execute();
  return rows.map(toForm);
}

/** The size of each form of the list in bytes, without reading the forms. */
export async function measureForms(
  db: Reader,
  workspaceId: string,
  window: { limit: number; offset: number },
): Promise<number[]> {
  const bytes = sql<number>`octet_length(fields) + octet_length(description)`;
  const rows = await selectNewest(db, workspaceId, window).select(bytes.as("bytes")).execute();
  return rows.map((row) => row.bytes);
}

export async function countForms(db: Reader, workspaceId: string): Promise<number> {
  const row = await selectForms(db, workspaceId).select(sql<number>`count(*)`.as("n")).executeTakeFirstOrThrow();
  return row.n;
}

/** False if the form was changed since it was read. */
export async function updateForm(tx: Tx, workspaceId: string, form: Form): Promise<boolean> {
  const done = await tx
    .updateTable("forms")
    .set({
      title: form.title,
      description: form.description,
      fields: JSON.stringify(form.fields),
      version: form.version,
      updated_at: form.updatedAtMs,
    })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", form.id)
    .where("version", "=", form.version - 1)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

/** False if the workspace has no such form. */
export async function markFormDeleted(tx: Tx, workspaceId: string, formId: string, nowMs: number): Promise<boolean> {
  if (!isId("frm", formId)) return false;
  const done = await tx
    .updateTable("forms")
    .set({ deleted_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", formId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

function selectNewest(db: Reader, workspaceId: string, window: { limit: number; offset: number }) {
  return selectForms(db, workspaceId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(window.limit)
    .offset(window.offset);
}

function selectForms(db: Reader, workspaceId: string) {
  return db.selectFrom("forms").where("workspace_id", "=", workspaceId).where("deleted_at", "is", null);
}

function toForm(row: {
  id: string;
  workspace_id: string;
  title: string;
  description: string;
  fields: string;
  version: number;
  created_at: number;
  updated_at: number;
}): Form {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    title: row.title,
    description: row.description,
    fields: JSON.parse(row.fields) as Field[],
    version: row.version,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
