import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { Value } from "typebox/value";
import { ApiError } from "../contract/errors.ts";
import { FormBody, type FormDraft } from "../contract/forms.ts";
import { createTurns } from "../control/long-list.ts";
import type { Reader } from "../control/store.ts";
import { type Form, viewForm } from "../forms/form.ts";
import { findForm } from "../forms/forms.ts";
import { createForm, deleteForm, getFormPage, getSubmissionPage } from "../forms/manage.ts";
import type { ResponseItem } from "../forms/response-item.ts";
import { countSubmissions } from "../forms/submissions.ts";
import { getWorkspace, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { isoOrNull, printOne, printRows, type Row, table } from "./output.ts";

export interface Tenant {
  workspace?: string;
}

export interface Window extends Tenant {
  limit: string;
  page: string;
}

/** The largest page of the API. */
const MOST = 200;

export function listForms(deps: CliDeps, options: Window, command: Command): Promise<void> {
  const paging = readPaging(options);
  return withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const found = await getFormPage(store.read, workspace.id, paging);
    checkWhole(paging, found);
    const rows = found.data.map((form) => ({
      id: form.id,
      title: form.title,
      fields: form.fields.length,
      url: viewForm(form, deps.apiUrl()).url,
      createdAt: isoOrNull(form.createdAtMs),
    }));
    printRows(command, deps, rows, "The workspace has no form; `sextant forms create <file>` creates one.");
  });
}

export async function createFromFile(deps: CliDeps, file: string, options: Tenant, command: Command): Promise<void> {
  const draft = readDraft(file === "-" ? await deps.readStdin() : await readText(file));
  await withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const form = await named(() => store.write((tx) => createForm(tx, workspace.id, draft, deps.clock.nowMs())));
    const view = viewForm(form, deps.apiUrl());
    printOne(command, deps, view, `Created form ${form.id} (${form.title}).\n\n  ${view.url}\n\n${fieldTable(form)}`);
  });
}

export function show(deps: CliDeps, formId: string, options: Tenant, command: Command): Promise<void> {
  return withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const form = await getForm(store.read, workspace.id, formId);
    const submissions = await countSubmissions(store.read, workspace.id, form.id, false);
    const spam = await countSubmissions(store.read, workspace.id, form.id, true);
    const view = viewForm(form, deps.apiUrl());
    const lines = [
      `${form.title} (${form.id})`,
      ...(form.description === "" ? [] : [form.description]),
      "",
      `  page         ${view.url}`,
      `  created      ${view.createdAt}`,
      `  updated      ${view.updatedAt}`,
      `  submissions  ${submissions}${spam > 0 ? `, and ${spam} suspected of spam` : ""}`,
      "",
      fieldTable(form),
    ];
    printOne(command, deps, { ...view, submissions, spam }, lines.join("\n"));
  });
}

export function remove(deps: CliDeps, formId: string, options: Tenant, command: Command): Promise<void> {
  return withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const form = await getForm(store.read, workspace.id, formId);
    await store.write((tx) => deleteForm(tx, workspace.id, form.id, deps.clock.nowMs()));
    printOne(command, deps, { id: form.id, deleted: "yes" }, `Deleted form ${form.id} (${form.title}).`);
  });
}

export function showSubmissions(
  deps: CliDeps,
  formId: string,
  options: Window & { spam?: boolean },
  command: Command,
): Promise<void> {
  const query = { ...readPaging(options), spam: options.spam === true };
  return withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const form = await getForm(store.read, workspace.id, formId);
    const found = await getSubmissionPage(store.read, workspace.id, form.id, query, createTurns());
    checkWhole(query, found);
    const what = query.spam ? "suspected spam" : "submission";
    const shown = `${found.data.length} of ${found.total}`;
    const text = found.data.length === 0 ? `There is no ${what} here.` : `${found.data.map(block).join("")}${shown}`;
    printOne(command, deps, found.data, text);
  });
}

/** One submission for people: its time and id, then the answers. */
function block({
  id,
  submittedAt,
  formId: _form,
  formTitle: _title,
  submissionId: _id,
  ...answers
}: ResponseItem): string {
  const names = Object.keys(answers);
  const width = Math.max(0, ...names.map((name) => name.length));
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${printable(answers[name])}`);
  return `${[`${submittedAt}  ${id}`, ...lines].join("\n")}\n\n`;
}

function printable(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value)) return value.map((one: { label: string }) => one.label).join(", ") || "-";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // Text from strangers must not move the cursor or change the colours of this terminal.
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

function fieldTable(form: Form): string {
  const rows = form.fields.map(
    (field): Row => ({
      key: field.key,
      type: field.type,
      required: field.required ? "yes" : "no",
      label: printable(field.label.length > 60 ? `${field.label.slice(0, 59)}…` : field.label),
      options: field.options.map((option) => option.value).join(", ") || null,
    }),
  );
  return table(rows).trimEnd();
}

async function getForm(db: Reader, workspaceId: string, formId: string): Promise<Form> {
  const form = await findForm(db, workspaceId, formId);
  if (!form) throw new CliError(`the workspace has no form ${formId}; \`sextant forms list\` shows them`);
  return form;
}

function readPaging(options: Window): { page: number; size: number } {
  const size = Number(options.limit);
  const page = Number(options.page);
  if (!Number.isInteger(size) || size < 1 || size > MOST) throw new CliError(`--limit takes 1 to ${MOST}`);
  if (!Number.isInteger(page) || page < 1) throw new CliError("--page takes a whole number from 1 on");
  return { page, size };
}

/** Fails instead of printing a smaller page: a script that counts pages by its --limit would miss entries. */
function checkWhole(asked: { size: number }, found: { page: number; size: number }): void {
  if (found.size < asked.size)
    throw new CliError(`these are too large to show at once; try --limit ${found.size} --page ${found.page}`);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new CliError(`cannot read ${file}: ${(cause as Error).message}`);
  }
}

/** The rules of the API: first the schema, then (in createForm) what a schema cannot express. */
function readDraft(text: string): FormDraft {
  let draft: unknown;
  try {
    draft = JSON.parse(text);
  } catch (cause) {
    throw new CliError(`the form is not valid JSON: ${(cause as Error).message}`);
  }
  if (Value.Check(FormBody, draft)) return draft;
  const lines = Value.Errors(FormBody, draft).map((error) => `${error.instancePath || "the form"} ${error.message}`);
  throw new CliError(`the form cannot be used:\n${[...new Set(lines)].map((line) => `  ${line}`).join("\n")}`);
}

async function named(work: () => Promise<Form>): Promise<Form> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    const lines = Object.entries(cause.details ?? {}).map(
      ([path, what]) => `  ${path.replace(/^body\./, "").replaceAll(".", "/")} ${String(what)}`,
    );
    throw new CliError(`the form cannot be used:\n${lines.join("\n")}`);
  }
}
