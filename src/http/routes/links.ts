import { recordAudit } from "../../accounts/audit.ts";
import { iso } from "../../accounts/describe.ts";
import { addMember, countMembers } from "../../accounts/members.ts";
import { findLink, type Invite, type Reset, takeLink } from "../../accounts/one-time-links.ts";
import { findPasswordProblem } from "../../accounts/passwords.ts";
import { endSessions } from "../../accounts/sessions.ts";
import { createUser, findUser, setPasswordHash } from "../../accounts/users.ts";
import { AccountAnswer, InviteAcceptBody, LinkReadAnswer, LinkReadBody, ResetBody } from "../../contract/account.ts";
import { ACCOUNT_LIMITS } from "../../contract/account-limits.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Tx } from "../../control/store.ts";
import { findWorkspace } from "../../control/tenants.ts";
import type { AccountDeps, AccountRequest } from "../account/deps.ts";
import { answerSession, createCookieSession, requireSafeCookie } from "../account/start-session.ts";
import { accountRoute, type Route } from "../route.ts";
import { invalid, readNewUser } from "./sign-in.ts";

const TAG = "Sign-in";

/** What people do with a link that they were sent. */
export function linkRoutes(): Route[] {
  return [
    accountRoute({
      method: "POST",
      path: "/api/links/read",
      operationId: "readLink",
      tag: TAG,
      summary: "What a one-time link is for",
      access: "open",
      body: LinkReadBody,
      answers: { 200: LinkReadAnswer },
      act: async (request, deps) => {
        const link = await getLink(deps, request);
        const { read } = deps.store;
        const workspace = link.kind === "invite" ? await findWorkspace(read, link.workspaceId) : undefined;
        const user = link.kind === "reset" ? await findUser(read, link.userId) : undefined;
        const data = {
          kind: link.kind,
          workspace: workspace === undefined ? null : { name: workspace.name },
          role: link.kind === "invite" ? link.role : null,
          name: user?.name ?? null,
          expiresAt: iso(link.expiresAtMs),
        };
        return { status: 200, body: { isSuccess: true, data } };
      },
    }),
    accountRoute({
      method: "POST",
      path: "/api/invites/accept",
      operationId: "acceptInvite",
      tag: TAG,
      summary: "Accept an invite",
      description: "A signed-in user joins the workspace. Anybody else sends `name` and `password` of a new account.",
      access: "open",
      body: InviteAcceptBody,
      answers: { 200: AccountAnswer },
      act: async (request, deps) => {
        requireSafeCookie(deps);
        await getLink(deps, request, "invite");
        const { name, password, token } = request.body;
        const wanted =
          request.signedIn === undefined
            ? await readNewUser({ name: name ?? "", password: password ?? "" }, deps.passwords.hash)
            : undefined;
        const text = await deps.store.write(async (tx) => {
          const link = await takeLink(tx, deps.secret, token, request.nowMs);
          if (link?.kind !== "invite") throw noLink();
          const user = wanted === undefined ? request.signedIn?.user : await createUser(tx, wanted, request.nowMs);
          if (user === undefined) throw new ApiError("CONFLICT", "This name is taken", { param: "body.name" });
          await join(tx, link, user, request.nowMs);
          return createCookieSession(tx, deps, request, user, "invite");
        });
        return answerSession(deps, text);
      },
    }),
    accountRoute({
      method: "POST",
      path: "/api/reset",
      operationId: "resetPassword",
      tag: TAG,
      summary: "Set a new password with a link of `sextant users reset`",
      description: "Ends all sessions of the user.",
      access: "open",
      body: ResetBody,
      answers: { 200: AccountAnswer },
      act: async (request, deps) => {
        requireSafeCookie(deps);
        const found = await getLink(deps, request, "reset");
        const user = found.kind === "reset" ? await findUser(deps.store.read, found.userId) : undefined;
        if (user === undefined || user.disabledAtMs !== null) throw noLink();
        const problem = findPasswordProblem(request.body.password, user.name);
        if (problem !== undefined) throw invalid("body.password", problem);
        const passwordHash = await deps.passwords.hash(request.body.password);
        const text = await deps.store.write(async (tx) => {
          const link = await takeLink(tx, deps.secret, request.body.token, request.nowMs);
          if (link?.kind !== "reset") throw noLink();
          await setPasswordHash(tx, user.id, passwordHash);
          await endSessions(tx, user.id);
          const entry = { userId: user.id, actor: user.name, action: "resetPassword", target: user.id, details: {} };
          await recordAudit(tx, null, entry, request.nowMs);
          return createCookieSession(tx, deps, request, user, "reset");
        });
        return answerSession(deps, text);
      },
    }),
  ];
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
  deps: AccountDeps,
  request: AccountRequest<unknown, unknown, { token: string }>,
  kind?: "invite" | "reset",
): Promise<Invite | Reset> {
  const link = await findLink(deps.store.read, deps.secret, request.body.token, request.nowMs);
  if (link === undefined || (kind !== undefined && link.kind !== kind)) throw noLink();
  return link;
}

function noLink(): ApiError {
  return new ApiError("NOT_FOUND", "This link was used already, or it has expired or was revoked");
}
