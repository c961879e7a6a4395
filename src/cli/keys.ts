import type { Command } from "commander";
import { isScope, SCOPES, type Scope } from "../contract/scopes.ts";
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey } from "../control/api-keys.ts";
import {
  getProjectId,
  getWorkspace,
  readExpiry,
  readName,
  WORKSPACE_OPTION,
  withStore,
  writeUnique,
} from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { addListAndRevoke } from "./key-commands.ts";
import { getKeyText } from "./key-value.ts";
import { isoOrNull, printOne, type Row } from "./output.ts";

interface CreateOptions {
  workspace?: string;
  project?: string;
  name: string;
  scopes: string;
  expires?: string;
  value?: string;
}

export function addKeyCommands(program: Command, deps: CliDeps): void {
  const keys = program.command("keys").description("workspace API keys, for reports, forms and webhooks");
  keys
    .command("create")
    .description("create an API key; it is shown once")
    .option(...WORKSPACE_OPTION)
    .option("--project <id>", "bind the key to one project; without it the key sees them all")
    .option("--name <name>", "what the key is for", "API key")
    .option("--scopes <list>", `comma-separated, of: ${SCOPES.join(", ")}; or all`, "all")
    .option("--expires <when>", "a span such as 90d, or a date; without it the key never expires")
    .option("--value <key>", "take over an existing key instead of making one; - reads it from standard input")
    .action((options: CreateOptions, command: Command) => createKey(deps, options, command));
  addListAndRevoke(keys, deps, {
    one: "an API key",
    name: "API key",
    list: async (db, workspaceId) => (await listApiKeys(db, workspaceId)).map(toRow),
    revoke: revokeApiKey,
  });
}

async function createKey(deps: CliDeps, options: CreateOptions, command: Command): Promise<void> {
  const text = await getKeyText(deps, "api", options.value);
  await withStore(deps, async (store, secret) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const now = deps.clock.nowMs();
    const key = {
      text,
      name: readName(options.name),
      projectId: options.project === undefined ? null : await getProjectId(store.read, workspace.id, options.project),
      scopes: readScopes(options.scopes),
      expiresAtMs: readExpiry(options.expires, now),
    };
    const made = await writeUnique(store, "that key is already in use", (tx) =>
      createApiKey(tx, workspace.id, secret, key, now),
    );
    const sentence = `Created API key ${made.id} (${made.name}).\n\n  ${text}\n\nIt is shown this once; only a hash of it is kept.`;
    printOne(command, deps, { ...toRow(made), apiKey: text }, sentence);
  });
}

function readScopes(text: string): Scope[] {
  if (text === "all") return [...SCOPES];
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const unknown = names.find((name) => !isScope(name));
  if (unknown !== undefined) throw new CliError(`there is no scope ${unknown}; the scopes are ${SCOPES.join(", ")}`);
  if (names.length === 0) throw new CliError("a key needs at least one scope");
  return names.filter(isScope);
}

function toRow(key: ApiKey): Row {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    projectId: key.projectId,
    scopes: key.scopes.length === SCOPES.length ? "all" : key.scopes.join(","),
    createdAt: isoOrNull(key.createdAtMs),
    expiresAt: isoOrNull(key.expiresAtMs),
    revokedAt: isoOrNull(key.revokedAtMs),
  };
}
