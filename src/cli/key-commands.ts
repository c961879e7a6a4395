import type { Command } from "commander";
import type { Reader, Tx } from "../control/store.ts";
import { getWorkspace, WORKSPACE_OPTION, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { printOne, printRows, type Row } from "./output.ts";

/** What API keys and write keys have in common: they are listed without their text, and revoked for good. */
export interface KeyKind {
  /** With its article, for sentences: "an API key". */
  readonly one: string;
  readonly name: string;
  list(db: Reader, workspaceId: string): Promise<Row[]>;
  revoke(tx: Tx, workspaceId: string, keyId: string, nowMs: number): Promise<boolean>;
}

export function addListAndRevoke(keys: Command, deps: CliDeps, kind: KeyKind): void {
  keys
    .command("list")
    .description(`list the ${kind.name}s of a workspace; the keys themselves are not kept`)
    .option(...WORKSPACE_OPTION)
    .action((options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const workspace = await getWorkspace(store.read, options.workspace);
        const rows = await kind.list(store.read, workspace.id);
        printRows(command, deps, rows, `The workspace has no ${kind.name}.`);
      }),
    );
  keys
    .command("revoke <keyId>")
    .description(`stop ${kind.one} within a second; this cannot be undone`)
    .option(...WORKSPACE_OPTION)
    .action((keyId: string, options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const workspace = await getWorkspace(store.read, options.workspace);
        const done = await store.write((tx) => kind.revoke(tx, workspace.id, keyId, deps.clock.nowMs()));
        if (!done) throw new CliError(`the workspace has no active ${kind.name} ${keyId}`);
        printOne(command, deps, { id: keyId, revoked: "yes" }, `Revoked ${kind.name} ${keyId}.`);
      }),
    );
}
