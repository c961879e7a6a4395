/** The commands for API keys, write keys and BI tokens: all are created, listed without their text and revoked alike. */
import type { Command } from "commander";
import { isScope, SCOPES, type Scope } from "../contract/scopes.ts";
import { type BiToken, createBiToken, listBiTokens, revokeBiToken } from "../control/bi-tokens.ts";
import { createKeyText, importProblem, type KeyKind } from "../control/key-text.ts";
import {
  type ApiKey,
  createApiKey,
  createWriteKey,
  listApiKeys,
  listWriteKeys,
  revokeApiKey,
  revokeWriteKey,
  type WriteKey,
} from "../control/keys.ts";
import type { Reader, Tx } from "../control/store.ts";
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
import { isoOrNull, printOne, printRows, type Row } from "./output.ts";

interface CreateOptions {
  workspace?: string;
  project?: string;
  name: string;
  /** Only for API keys. */
  scopes?: string;
  expires?: string;
  value?: string;
}

interface KeyCommands {
  readonly kind: KeyKind;
  readonly name: string;
  /** With its article, for sentences: "an API key". */
  readonly one: string;
  /** The property of the new key in JSON output. */
  readonly field: string;
  /** What else to say about a new one. */
  readonly note?: string;
  /** The options whose presence or description differs by kind. */
  addOptions(create: Command): Command;
  /** Reads the options of this kind and returns the write. */
  readNew(
    db: Reader,
    workspaceId: string,
    options: CreateOptions,
  ): Promise<(tx: Tx, secret: Buffer, key: NewKey, nowMs: number) => Promise<AnyKey>>;
  list(db: Reader, workspaceId: string): Promise<AnyKey[]>;
  revoke(tx: Tx, workspaceId: string, keyId: string, nowMs: number): Promise<boolean>;
}

type AnyKey = ApiKey | WriteKey | BiToken;

interface NewKey {
  text: string;
  name: string;
  expiresAtMs: number | null;
}

const API_KEYS: KeyCommands = {
  kind: "api",
  name: "API key",
  one: "an API key",
  field: "apiKey",
  addOptions: (create) =>
    create
      .option("--project <id>", "bind the key to one project; default: all projects")
      .option("--name <name>", "what the key is for", "API key")
      .option("--scopes <list>", `comma-separated, of: ${SCOPES.join(", ")}; or all`, "all"),
  async readNew(db, workspaceId, options) {
    const projectId = options.project === undefined ? null : await getProjectId(db, workspaceId, options.project);
    const scopes = readScopes(options.scopes ?? "all");
    return (tx, secret, key, nowMs) => createApiKey(tx, workspaceId, secret, { ...key, projectId, scopes }, nowMs);
  },
  list: listApiKeys,
  revoke: revokeApiKey,
};

const WRITE_KEYS: KeyCommands = {
  kind: "write",
  name: "write key",
  one: "a write key",
  field: "writeKey",
  // control/write-key-ring.ts looks for new ones every 400 ms.
  note: "A running service accepts events with it within a second.",
  addOptions: (create) =>
    create
      .option("--project <id>", "the project; optional if there is only one")
      .option("--name <name>", "what the key is for", "Write key"),
  readNew: readNewOfProject(createWriteKey),
  list: listWriteKeys,
  revoke: revokeWriteKey,
};

const BI_TOKENS: KeyCommands = {
  kind: "bi",
  name: "BI token",
  one: "a BI token",
  field: "biToken",
  addOptions: (create) =>
    create
      .option("--project <id>", "the project that the token reads; optional if there is only one")
      .option("--name <name>", "what the token is for", "BI token"),
  readNew: readNewOfProject(createBiToken),
  list: listBiTokens,
  revoke: revokeBiToken,
};

function readNewOfProject(create: typeof createWriteKey | typeof createBiToken): KeyCommands["readNew"] {
  return async (db, workspaceId, options) => {
    const projectId = await getProjectId(db, workspaceId, options.project);
    return (tx, secret, key, nowMs) => create(tx, workspaceId, secret, { ...key, projectId }, nowMs);
  };
}

export function addKeyCommands(program: Command, deps: CliDeps): void {
  const keys = program.command("keys").description("workspace API keys, for reports, forms and webhooks");
  addCommands(keys, deps, API_KEYS);
  const writeKeys = program.command("write-keys").description("SDK write keys, for sending events to one project");
  addCommands(writeKeys, deps, WRITE_KEYS);
  const biTokens = program.command("bi-tokens").description("passwords of BI tools, for reading one project with SQL");
  addCommands(biTokens, deps, BI_TOKENS);
}

function addCommands(keys: Command, deps: CliDeps, commands: KeyCommands): void {
  const create = keys.command("create").description(`create ${commands.one}; it is shown once`);
  commands
    .addOptions(create.option(...WORKSPACE_OPTION))
    .option("--expires <when>", "a duration such as 90d, or a date; default: never")
    .option("--value <key>", "import an existing key instead of creating one; - reads it from standard input")
    .action((options: CreateOptions, command: Command) => createKey(deps, commands, options, command));
  keys
    .command("list")
    .description(`list the ${commands.name}s of a workspace; the keys themselves are not kept`)
    .option(...WORKSPACE_OPTION)
    .action((options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const workspace = await getWorkspace(store.read, options.workspace);
        const rows = (await commands.list(store.read, workspace.id)).map(toRow);
        printRows(command, deps, rows, `The workspace has no ${commands.name}.`);
      }),
    );
  keys
    .command("revoke <keyId>")
    .description(`stop ${commands.one} within a second; this cannot be undone`)
    .option(...WORKSPACE_OPTION)
    .action((keyId: string, options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const workspace = await getWorkspace(store.read, options.workspace);
        const done = await store.write((tx) => commands.revoke(tx, workspace.id, keyId, deps.clock.nowMs()));
        if (!done) throw new CliError(`the workspace has no active ${commands.name} ${keyId}`);
        printOne(command, deps, { id: keyId, revoked: "yes" }, `Revoked ${commands.name} ${keyId}.`);
      }),
    );
}

async function createKey(
  deps: CliDeps,
  commands: KeyCommands,
  options: CreateOptions,
  command: Command,
): Promise<void> {
  const text = await getKeyText(deps, commands.kind, options.value);
  await withStore(deps, async (store, secret) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const create = await commands.readNew(store.read, workspace.id, options);
    const now = deps.clock.nowMs();
    const key = { text, name: readName(options.name), expiresAtMs: readExpiry(options.expires, now) };
    const made = await writeUnique(store, "that key is already in use", (tx) => create(tx, secret, key, now));
    const created = `Created ${commands.name} ${made.id} (${made.name}).`;
    const about = ["It is shown only once; Sextant stores only a hash of it.", commands.note].join(" ").trim();
    const sentence = `${created}\n\n  ${text}\n\n${about}`;
    printOne(command, deps, { ...toRow(made), [commands.field]: text }, sentence);
  });
}

/** A new key, or an imported one. Standard input keeps an imported key out of the shell's history. */
async function getKeyText(deps: CliDeps, kind: KeyKind, value: string | undefined): Promise<string> {
  if (value === undefined) return createKeyText(kind);
  const text = value === "-" ? (await deps.readStdin()).trim() : value;
  const problem = importProblem(kind, text);
  if (problem !== undefined) throw new CliError(`the given key cannot be used: ${problem}`);
  return text;
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

function toRow(key: AnyKey): Row {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    projectId: key.projectId,
    ...("scopes" in key && { scopes: key.scopes.length === SCOPES.length ? "all" : key.scopes.join(",") }),
    createdAt: isoOrNull(key.createdAtMs),
    expiresAt: isoOrNull(key.expiresAtMs),
    revokedAt: isoOrNull(key.revokedAtMs),
    ...("lastUsedAtMs" in key && { lastUsedAt: isoOrNull(key.lastUsedAtMs) }),
  };
}
