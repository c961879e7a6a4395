import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import { ApiError } from "../contract/errors.ts";
import type { ControlStore, Tx } from "../control/store.ts";
import { findWorkspace } from "../control/tenants.ts";
import { recordAudit } from "./audit.ts";
import { iso } from "./describe.ts";
import { addMember, countMembers } from "./members.ts";
import { invalid, readNewUser } from "./new-user.ts";
import { findLink, type Invite, type Reset, takeLink } from "./one-time-links.ts";
import { findPasswordProblem, type Passwords } from "./passwords.ts";
import { endSessions } from "./sessions.ts";
import { startSession } from "./start-session.ts";
import { createUser, findUser, setPasswordHash } from "./users.ts";
import type { Visit } from "./visit.ts";

/** What people do with a link that they were sent. */
interface LinkDeps {
  store: ControlStore;
  secret: Buffer;
}

/** What a link is for. */
export async function describeLink(deps: LinkDeps, token: string, nowMs: number) {
  const link = await getLink(deps, token, nowMs);
  const { read } = deps.store;
  const workspace = link.kind === "invite" ? await findWorkspace(read, link.workspaceId) : undefined;
  const user = link.kind === "reset" ? await findUser(read, link.userId) : undefined;
  return {
    kind: link.kind,
    workspace: workspace === undefined ? null : { name: workspace.name },
    role: link.kind === "invite" ? link.role : null,
    name: user?.name ?? null,
    expiresAt: iso(link.expiresAtMs),
  };
}

/** The signed-in user, or a new one, joins the workspace. Returns the text of a new session. */
export async function acceptInvite(
  deps: LinkDeps & { passwords: Passwords },
  visit: Visit,
  { name = "", password = "", token }: { name?: string; password?: string; token: string },
): Promise<string> {
  await getLink(deps, token, visit.nowMs, "invite");
  const wanted = visit.signedIn === undefined ? await readNewUser({ name, password }, deps.passwords.hash) : undefined;
  return deps.store.write(async (tx) => {
    const link = await takeLink(tx, deps.secret, token, visit.nowMs);
    if (link?.kind !== "invite") throw noLink();
    const user = wanted === undefined ? visit.signedIn?.user : await createUser(tx, wanted, visit.nowMs);
    if (user === undefined) throw new ApiError("CONFLICT", "This name is taken", { param: "body.name" });
    await join(tx, link, user, visit.nowMs);
    return startSession(tx, deps.secret, visit, user, "invite");
  });
}

/** Sets the password and ends all sessions of the user. Returns the text of a new session. */
export async function resetPassword(
  deps: LinkDeps & { passwords: Passwords },
  visit: Visit,
  { token, password }: { token: string; password: string },
): Promise<string> {
  const found = await getLink(deps, token, visit.nowMs, "reset");
  const user = found.kind === "reset" ? await findUser(deps.store.read, found.userId) : undefined;
  if (user === undefined || user.disabledAtMs !== null) throw noLink();
  const problem = findPasswordProblem(password, user.name);
  if (problem !== undefined) throw invalid("body.password", problem);
  const passwordHash = await deps.passwords.hash(password);
  return deps.store.write(async (tx) => {
    const link = await takeLink(tx, deps.secret, token, visit.nowMs);
    if (link?.kind !== "reset") throw noLink();
    await setPasswordHash(tx, user.id, passwordHash);
    await endSessions(tx, user.id);
    const entry = { userId: user.id, actor: user.name, action: "resetPassword", target: user.id, details: {} };
    await recordAudit(tx, null, entry, visit.nowMs);
    return startSession(tx, deps.secret, visit, user, "reset");
  });
}

async function join(tx: Tx, link: Invite, user: { id: string; name: string }, nowMs: number): Promise<void> {
  const { workspaceId, role } = link;
  if ((await countMembers(tx, workspaceId)) >= ACCOUNT_LIMITS.membersPerWorkspace)
    throw new ApiError("CONFLICT", `A workspace has at most ${ACCOUNT_LIMITS.membersPerWorkspace} members`);
  if (!(await addMember(tx, workspaceId, { userId: user.id, role }, nowMs)))
    throw new ApiError("CONFLICT", "You are a member of this workspace already");
  const entry = { userId: user.id, actor: user.name, action: "acceptInvite", target: link.id, details: { role } };
  await recordAudit(tx, workspaceId, entry, nowMs);
}

async function getLink(
  deps: LinkDeps,
  token: string,
  nowMs: number,
  kind?: "invite" | "reset",
): Promise<Invite | Reset> {
  const link = await findLink(deps.store.read, deps.secret, token, nowMs);
  if (link === undefined || (kind !== undefined && link.kind !== kind)) throw noLink();
  return link;
}

function noLink(): ApiError {
  return new ApiError("NOT_FOUND", "This link was used already, or it has expired or was revoked");
}
