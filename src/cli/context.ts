import type { ControlStore, Reader, Tx } from "../control/store.ts";
import { findProject, findWorkspace, listProjects, listWorkspaces, type Workspace } from "../control/tenants.ts";
import { type CliDeps, CliError } from "./deps.ts";

/** For commands on the data of one workspace; getWorkspace reads it. */
export const WORKSPACE_OPTION = ["--workspace <id>", "the workspace; optional if there is only one"] as const;

/** Opens the store for one command and closes it in any case. */
export async function withStore(
  deps: CliDeps,
  work: (store: ControlStore, secret: Buffer) => Promise<void>,
): Promise<void> {
  const control = await deps.open();
  try {
    await work(control.store, control.secret);
  } finally {
    await control.close();
  }
}

/** A write that may conflict with an existing name or key; `taken` is then the error message. */
export async function writeUnique<T>(store: ControlStore, taken: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await store.write(work);
  } catch (cause) {
    if (/unique/i.test((cause as Error).message)) throw new CliError(taken);
    throw cause;
  }
}

/** The workspace of a command: the named one, or the only one. */
export async function getWorkspace(db: Reader, workspaceId: string | undefined): Promise<Workspace> {
  if (workspaceId !== undefined) {
    const found = await findWorkspace(db, workspaceId);
    if (!found) throw new CliError(`there is no workspace ${workspaceId}; \`sextant workspaces list\` shows them`);
    return found;
  }
  const [only, ...others] = await listWorkspaces(db);
  if (!only) throw new CliError("there is no workspace yet; `sextant workspaces create <name>` creates one");
  if (others.length > 0) throw new CliError("there are several workspaces: choose one with --workspace <id>");
  return only;
}

export async function getProjectId(db: Reader, workspaceId: string, projectId: string | undefined): Promise<string> {
  if (projectId !== undefined) {
    const found = await findProject(db, workspaceId, projectId);
    if (!found) throw new CliError(`the workspace has no project ${projectId}; \`sextant projects list\` shows them`);
    return found.id;
  }
  const [only, ...others] = await listProjects(db, workspaceId);
  if (!only) throw new CliError("the workspace has no project yet; `sextant projects create <name>` creates one");
  if (others.length > 0) throw new CliError("the workspace has several projects: choose one with --project <id>");
  return only.id;
}

const LATEST_EXPIRY_MS = Date.UTC(2101, 0, 1);
const UNITS_MS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `90d`, `12h`, `2w` from now, or a date; undefined means never. */
export function readExpiry(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const span = /^(\d+)([hdw])$/.exec(text);
  const at = span ? nowMs + Number(span[1]) * UNITS_MS[span[2] as keyof typeof UNITS_MS] : Date.parse(text);
  if (!Number.isFinite(at))
    throw new CliError(`--expires takes a span such as 12h, 90d or 2w, or a date such as 2027-01-31, not ${text}`);
  if (at > LATEST_EXPIRY_MS) throw new CliError("--expires lies beyond the year 2100");
  if (at <= nowMs) throw new CliError("--expires lies in the past");
  return at;
}

export function readName(text: string): string {
  const name = text.trim();
  if (name === "" || name.length > 200) throw new CliError("a name has 1 to 200 characters");
  return name;
}
