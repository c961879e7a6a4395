/** The commands for people who sign in. They work beside the service, and are the way back in for who is locked out. */
import type { Command } from "commander";
import { recordAudit } from "../accounts/audit.ts";
import { addMember, findMember, listMemberships, setRole } from "../accounts/members.ts";
import { createLink, linkUrl, revokeResets } from "../accounts/one-time-links.ts";
import { endSessions } from "../accounts/sessions.ts";
import { createUser, findUserByName, listUsers, readUserName, setDisabled, type User } from "../accounts/users.ts";
import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import { isMemberRole, MEMBER_ROLES, type MemberRole } from "../contract/member-roles.ts";
import type { Reader, Tx } from "../control/store.ts";
import { HOUR_MS } from "../lib/time.ts";
import { getWorkspace, WORKSPACE_OPTION, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { isoOrNull, printOne, printRows } from "./output.ts";

const ROLES = MEMBER_ROLES.join(", ");

export function addUserCommands(program: Command, deps: CliDeps): void {
  const users = program.command("users").description("people who sign in to the dashboard");
  addList(users, deps);
  addCreate(users, deps);
  addReset(users, deps);
  addRole(users, deps);
  for (const [name, isDisabled] of [
    ["disable", true],
    ["enable", false],
  ] as const)
    addDisable(users, deps, name, isDisabled);
}

function addList(users: Command, deps: CliDeps): void {
  users
    .command("list")
    .description("list all users with their roles")
    .action((_options: object, command: Command) =>
      withStore(deps, async ({ read }) => {
        const rows = [];
        for (const user of await listUsers(read)) {
          const roles = (await listMemberships(read, user.id)).map(
            ({ workspaceId, role }) => `${role} of ${workspaceId}`,
          );
          rows.push({
            id: user.id,
            name: user.name,
            roles: roles.join(", "),
            createdAt: isoOrNull(user.createdAtMs),
            disabledAt: isoOrNull(user.disabledAtMs),
          });
        }
        printRows(
          command,
          deps,
          rows,
          "There is no user yet. The start of the service prints the link to make the first.",
        );
      }),
    );
}

function addCreate(users: Command, deps: CliDeps): void {
  users
    .command("add <name>")
    .description("add a user to a workspace and print a link to set the password")
    .option("--role <role>", ROLES, "viewer")
    .option(...WORKSPACE_OPTION)
    .action((name: string, options: { role: string; workspace?: string }, command: Command) =>
      withStore(deps, async (store, secret) => {
        const read = readUserName(name);
        if (read.problem !== undefined) throw new CliError(`the name ${read.problem}`);
        const role = readRole(options.role);
        const workspace = await getWorkspace(store.read, options.workspace);
        const nowMs = deps.clock.nowMs();
        const { user, url } = await store.write(async (tx) => {
          const made = await createUser(tx, { name: read.name, passwordHash: null }, nowMs);
          if (made === undefined) throw new CliError(`there is a user ${read.name} already`);
          await giveRole(tx, workspace.id, made.id, role, nowMs);
          await record(tx, [workspace.id], "users add", made, { role }, nowMs);
          return { user: made, url: await createReset(tx, deps, secret, made.id, nowMs) };
        });
        const message = `Added ${user.name} as ${role} of ${workspace.id}.\n${describeLink(url)}`;
        printOne(command, deps, { id: user.id, name: user.name, role, workspaceId: workspace.id, url }, message);
      }),
    );
}

function addReset(users: Command, deps: CliDeps): void {
  users
    .command("reset <name>")
    .description("print a link with which a user sets a new password; it works once")
    .action((name: string, _options: object, command: Command) =>
      withStore(deps, async (store, secret) => {
        const user = await getUser(store.read, name);
        const nowMs = deps.clock.nowMs();
        const url = await store.write(async (tx) => {
          await record(tx, await workspacesOf(tx, user), "users reset", user, {}, nowMs);
          return createReset(tx, deps, secret, user.id, nowMs);
        });
        printOne(command, deps, { id: user.id, name: user.name, url }, describeLink(url));
      }),
    );
}

function addRole(users: Command, deps: CliDeps): void {
  users
    .command("role <name> <role>")
    .description(
      `set the role of a user in a workspace: ${ROLES}. A new owner replaces the old one, who becomes an admin`,
    )
    .option(...WORKSPACE_OPTION)
    .action((name: string, text: string, options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const role = readRole(text);
        const user = await getUser(store.read, name);
        const workspace = await getWorkspace(store.read, options.workspace);
        const nowMs = deps.clock.nowMs();
        await store.write(async (tx) => {
          await giveRole(tx, workspace.id, user.id, role, nowMs);
          await record(tx, [workspace.id], "users role", user, { role }, nowMs);
        });
        const row = { id: user.id, name: user.name, role, workspaceId: workspace.id };
        printOne(command, deps, row, `${user.name} is ${role} of ${workspace.id} from now on.`);
      }),
    );
}

function addDisable(users: Command, deps: CliDeps, action: "disable" | "enable", isDisabled: boolean): void {
  users
    .command(`${action} <name>`)
    .description(isDisabled ? "sign a user out everywhere and let them in no more" : "let a disabled user in again")
    .action((name: string, _options: object, command: Command) =>
      withStore(deps, async (store) => {
        const user = await getUser(store.read, name);
        const nowMs = deps.clock.nowMs();
        await store.write(async (tx) => {
          await setDisabled(tx, user.id, isDisabled ? nowMs : null);
          if (isDisabled) {
            await endSessions(tx, user.id);
            await revokeResets(tx, user.id);
          }
          await record(tx, await workspacesOf(tx, user), `users ${action}`, user, {}, nowMs);
        });
        const row = { id: user.id, name: user.name, disabled: isDisabled };
        printOne(command, deps, row, `${user.name} is ${isDisabled ? "disabled" : "enabled"}.`);
      }),
    );
}

async function createReset(tx: Tx, deps: CliDeps, secret: Buffer, userId: string, nowMs: number): Promise<string> {
  await revokeResets(tx, userId);
  const expiresAtMs = nowMs + ACCOUNT_LIMITS.resetHours * HOUR_MS;
  const link = { kind: "reset", userId, note: "", createdBy: "command line", expiresAtMs } as const;
  const { token } = await createLink(tx, secret, link, nowMs);
  return linkUrl(deps.apiUrl(), "reset", token);
}

function describeLink(url: string): string {
  return `This link sets the password. It works once, within ${ACCOUNT_LIMITS.resetHours} hours:\n\n  ${url}\n`;
}

/** A workspace has one owner. */
async function giveRole(tx: Tx, workspaceId: string, userId: string, role: MemberRole, nowMs: number): Promise<void> {
  const before = await findMember(tx, workspaceId, userId);
  if (before?.role === "owner" && role !== "owner")
    throw new CliError("a workspace has one owner: make somebody else the owner instead");
  if (role === "owner")
    await tx
      .updateTable("members")
      .set({ role: "admin" })
      .where("workspace_id", "=", workspaceId)
      .where("role", "=", "owner")
      .execute();
  if (before === undefined) await addMember(tx, workspaceId, { userId, role }, nowMs);
  else await setRole(tx, workspaceId, userId, role);
}

async function workspacesOf(db: Reader, user: User): Promise<string[]> {
  return (await listMemberships(db, user.id)).map(({ workspaceId }) => workspaceId);
}

async function record(
  tx: Tx,
  workspaceIds: readonly string[],
  action: string,
  target: User,
  details: Record<string, unknown>,
  nowMs: number,
): Promise<void> {
  for (const workspaceId of workspaceIds)
    await recordAudit(
      tx,
      workspaceId,
      { userId: null, actor: "command line", action, target: target.id, details },
      nowMs,
    );
}

async function getUser(db: Reader, name: string): Promise<User> {
  const user = await findUserByName(db, name);
  if (user === undefined) throw new CliError(`there is no user ${name}; \`sextant users list\` shows them`);
  return user;
}

function readRole(text: string): MemberRole {
  if (!isMemberRole(text)) throw new CliError(`there is no role ${text}; the roles are ${ROLES}`);
  return text;
}
