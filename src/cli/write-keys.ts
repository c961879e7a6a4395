import type { Command } from "commander";
import { createWriteKey, listWriteKeys, revokeWriteKey, type WriteKey } from "../control/write-keys.ts";
import {
  getProjectId,
  getWorkspace,
  readExpiry,
  readName,
  WORKSPACE_OPTION,
  withStore,
  writeUnique,
} from "./context.ts";
import type { CliDeps } from "./deps.ts";
import { addListAndRevoke } from "./key-commands.ts";
import { getKeyText } from "./key-value.ts";
import { isoOrNull, printOne, type Row } from "./output.ts";

interface CreateOptions {
  workspace?: string;
  project?: string;
  name: string;
  expires?: string;
  value?: string;
}

export function addWriteKeyCommands(program: Command, deps: CliDeps): void {
  const keys = program.command("write-keys").description("SDK write keys, for sending events to one project");
  keys
    .command("create")
    .description("create a write key; it is shown once")
    .option(...WORKSPACE_OPTION)
    .option("--project <id>", "which project; not needed when there is one")
    .option("--name <name>", "what the key is for", "Write key")
    .option("--expires <when>", "a span such as 90d, or a date; without it the key never expires")
    .option("--value <key>", "take over an existing key instead of making one; - reads it from standard input")
    .action((options: CreateOptions, command: Command) => createKey(deps, options, command));
  addListAndRevoke(keys, deps, {
    one: "a write key",
    name: "write key",
    list: async (db, workspaceId) => (await listWriteKeys(db, workspaceId)).map(toRow),
    revoke: revokeWriteKey,
  });
}

async function createKey(deps: CliDeps, options: CreateOptions, command: Command): Promise<void> {
  const text = await getKeyText(deps, "write", options.value);
  await withStore(deps, async (store, secret) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const projectId = await getProjectId(store.read, workspace.id, options.project);
    const now = deps.clock.nowMs();
    const key = { text, name: readName(options.name), projectId, expiresAtMs: readExpiry(options.expires, now) };
    const made = await writeUnique(store, "that key is already in use", (tx) =>
      createWriteKey(tx, workspace.id, secret, key, now),
    );
    const sentence = `Created write key ${made.id} (${made.name}).\n\n  ${text}\n\nIt is shown this once; only a hash of it is kept.`;
    printOne(command, deps, { ...toRow(made), writeKey: text }, sentence);
  });
}

function toRow(key: WriteKey): Row {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    projectId: key.projectId,
    createdAt: isoOrNull(key.createdAtMs),
    expiresAt: isoOrNull(key.expiresAtMs),
    revokedAt: isoOrNull(key.revokedAtMs),
  };
}
