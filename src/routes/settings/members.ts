import { iso } from "../../accounts/describe.ts";
import { listKeysOfMember } from "../../accounts/keys-of-member.ts";
import { changeRole, dismissMember, refuseUnless } from "../../accounts/manage-members.ts";
import { listMembers, type Member } from "../../accounts/members.ts";
import { createLink, linkUrl, listInvites, revokeInvite } from "../../accounts/one-time-links.ts";
import { ACCOUNT_LIMITS } from "../../contract/account-limits.ts";
import { ApiError } from "../../contract/errors.ts";
import type { MemberRole } from "../../contract/member-roles.ts";
import {
  DeletedAnswer,
  InviteBody,
  InviteCreatedAnswer,
  InviteListAnswer,
  InviteParams,
  MemberAnswer,
  MemberBody,
  MemberListAnswer,
  MemberParams,
  MemberRemovedAnswer,
} from "../../contract/settings.ts";
import { getMember } from "../../http/account/acting-member.ts";
import { type Route, readRoute, success, writeRoute } from "../../http/route.ts";
import { isId } from "../../lib/ids.ts";
import { DAY_MS } from "../../lib/time.ts";

const common = { tag: "Settings", access: "member" } as const;

export interface MemberNeeds {
  /** The installation's, behind the hashes of links. */
  secret: Buffer;
  publicApiUrl: () => string;
}

export function memberRoutes(needs: MemberNeeds): Route[] {
  return [
    listMembersRoute,
    changeMemberRoute,
    removeMemberRoute,
    listInvitesRoute,
    createInviteRoute(needs),
    revokeInviteRoute,
  ];
}

const listMembersRoute = readRoute({
  ...common,
  method: "GET",
  path: "/api/settings/members",
  operationId: "listMembers",
  summary: "List the members of the workspace",
  answers: { 200: MemberListAnswer },
  handle: async ({ db, key }) => success((await listMembers(db, key.workspaceId)).map(viewMember)),
});

const changeMemberRoute = writeRoute({
  ...common,
  method: "PATCH",
  path: "/api/settings/members/:userId",
  operationId: "changeMember",
  summary: "Change the role of a member",
  description:
    "An admin manages editors and viewers, the owner everybody. Whoever is made the owner replaces the owner, who becomes an admin.",
  role: "admin",
  params: MemberParams,
  body: MemberBody,
  answers: { 200: MemberAnswer },
  handle: async (request, tx) => {
    const { key, parts } = request;
    const { params, body } = parts;
    const role = body.role as MemberRole;
    if (!isId("usr", params.userId)) throw new ApiError("NOT_FOUND", "There is no such member");
    await changeRole(tx, key.workspaceId, getMember(request), { userId: params.userId, role });
    const member = (await listMembers(tx, key.workspaceId)).find(({ userId }) => userId === params.userId);
    if (member === undefined) throw new Error("a changed member is not there");
    return { status: 200, body: { isSuccess: true, data: viewMember(member) }, audit: { details: { role } } };
  },
});

const removeMemberRoute = writeRoute({
  ...common,
  method: "DELETE",
  path: "/api/settings/members/:userId",
  operationId: "removeMember",
  summary: "Remove a member from the workspace",
  description:
    "Members may remove themselves. The others are removed by those who manage their role. Keys are the workspace's: those that the member made go on working, and the answer lists them.",
  role: "viewer",
  params: MemberParams,
  answers: { 200: MemberRemovedAnswer },
  handle: async (request, tx) => {
    const { key, parts, nowMs } = request;
    const { params } = parts;
    if (!isId("usr", params.userId)) throw new ApiError("NOT_FOUND", "There is no such member");
    await dismissMember(tx, key.workspaceId, getMember(request), params.userId);
    const keys = await listKeysOfMember(tx, key.workspaceId, params.userId, nowMs);
    return success({ userId: params.userId, keys });
  },
});

const listInvitesRoute = readRoute({
  ...common,
  method: "GET",
  path: "/api/settings/invites",
  operationId: "listInvites",
  summary: "List the invites that are still open",
  role: "admin",
  answers: { 200: InviteListAnswer },
  handle: async ({ db, key, nowMs }) => {
    const names = new Map((await listMembers(db, key.workspaceId)).map(({ userId, name }) => [userId, name]));
    const data = (await listInvites(db, key.workspaceId, nowMs)).map((invite) => ({
      id: invite.id,
      role: invite.role,
      note: invite.note,
      createdBy: names.get(invite.createdBy) ?? null,
      createdAt: iso(invite.createdAtMs),
      expiresAt: iso(invite.expiresAtMs),
    }));
    return success(data);
  },
});

const createInviteRoute = ({ secret, publicApiUrl }: MemberNeeds) =>
  writeRoute({
    ...common,
    method: "POST",
    path: "/api/settings/invites",
    operationId: "createInvite",
    summary: "Invite somebody with a link that works once",
    description: `The link is valid for ${ACCOUNT_LIMITS.inviteDays} days. Only the owner invites admins.`,
    role: "admin",
    answersSecret: true,
    body: InviteBody,
    answers: { 201: InviteCreatedAnswer },
    handle: async (request, tx) => {
      const { key, parts, nowMs } = request;
      const { body } = parts;
      const member = getMember(request);
      const role = body.role as MemberRole;
      refuseUnless(member, role);
      if ((await listInvites(tx, key.workspaceId, nowMs)).length >= ACCOUNT_LIMITS.openInvites)
        throw new ApiError("CONFLICT", `A workspace has at most ${ACCOUNT_LIMITS.openInvites} open invites`);
      const note = (body.note ?? "").replaceAll(/\p{Cc}/gu, "").toWellFormed();
      const expiresAtMs = nowMs + ACCOUNT_LIMITS.inviteDays * DAY_MS;
      const link = { kind: "invite", workspaceId: key.workspaceId, role, note, createdBy: member.userId } as const;
      const { id, token } = await createLink(tx, secret, { ...link, expiresAtMs }, nowMs);
      const url = linkUrl(publicApiUrl(), "invite", token);
      const data = { id, role, note, url, expiresAt: iso(expiresAtMs) };
      return { status: 201, body: { isSuccess: true, data }, audit: { target: id, details: { role, note } } };
    },
  });

const revokeInviteRoute = writeRoute({
  ...common,
  method: "DELETE",
  path: "/api/settings/invites/:inviteId",
  operationId: "revokeInvite",
  summary: "Revoke an invite",
  role: "admin",
  params: InviteParams,
  answers: { 200: DeletedAnswer },
  handle: async ({ key, parts: { params } }, tx) => {
    if (!isId("lnk", params.inviteId) || !(await revokeInvite(tx, key.workspaceId, params.inviteId)))
      throw new ApiError("NOT_FOUND", "There is no such invite");
    return success({ id: params.inviteId });
  },
});

function viewMember(member: Member) {
  return {
    userId: member.userId,
    name: member.name,
    role: member.role,
    joinedAt: iso(member.joinedAtMs),
    lastSeenAt: member.lastSeenAtMs === null ? null : iso(member.lastSeenAtMs),
  };
}
