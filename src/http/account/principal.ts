import type { FastifyReply, FastifyRequest } from "fastify";
import type { SessionAuth, SignedIn } from "../../accounts/authenticate-session.ts";
import { ApiError } from "../../contract/errors.ts";
import { hasRole, type MemberRole, scopesOfRole } from "../../contract/member-roles.ts";
import type { ApiKey } from "../../control/keys.ts";
import type { Reader } from "../../control/store.ts";
import { findProjectWorkspace } from "../../control/tenants.ts";
import { isId } from "../../lib/ids.ts";
import { findSessionText, sessionCookie } from "./cookie.ts";
import { refuseCrossSite, refuseOtherTypes } from "./own-origin.ts";

/** A signed-in user in one workspace. */
export interface ActingMember {
  userId: string;
  name: string;
  role: MemberRole;
}

/** The sender of a request: a key, or a member with what a key of the role's scopes would be. */
export interface Principal {
  key: ApiKey;
  member?: ActingMember;
}

const WORKSPACE_HEADER = "x-sextant-workspace";

/** The user of the request's cookie; undefined without a valid one. Throws 403 if another site sent the request. */
export async function findSignedIn(
  auth: SessionAuth,
  request: Pick<FastifyRequest, "headers" | "method">,
  publicApiUrl: string,
): Promise<SignedIn | undefined> {
  const text = findSessionText(request.headers, publicApiUrl);
  const signedIn = text === undefined ? undefined : await auth.find(text);
  if (signedIn === undefined) return undefined;
  refuseCrossSite(request.headers, publicApiUrl);
  if (request.method !== "GET" && request.method !== "HEAD") refuseOtherTypes(request.headers);
  return signedIn;
}

/** Sends the cookie again when the session was extended, so that the browser keeps it as long as we do. */
export async function extendCookie(
  deps: { sessions: SessionAuth; publicApiUrl: () => string },
  request: FastifyRequest,
  reply: FastifyReply,
  signedIn: SignedIn,
): Promise<void> {
  const text = findSessionText(request.headers, deps.publicApiUrl());
  if (text !== undefined && (await deps.sessions.extend(signedIn, request.log)))
    reply.header("Set-Cookie", sessionCookie(deps.publicApiUrl(), text));
}

/** A session is a second credential: from here on it is what an API key is. */
export async function toPrincipal(db: Reader, request: FastifyRequest, signedIn: SignedIn): Promise<Principal> {
  const { session, user } = signedIn;
  const { workspaceId, role } = await chooseWorkspace(db, request, signedIn);
  return {
    key: {
      id: session.id,
      workspaceId,
      projectId: null,
      name: user.name,
      prefix: "",
      scopes: scopesOfRole(role),
      createdAtMs: session.createdAtMs,
      expiresAtMs: session.expiresAtMs,
      revokedAtMs: null,
    },
    member: { userId: user.id, name: user.name, role },
  };
}

/** By the header, else by the project of the query, else the user's only one. */
async function chooseWorkspace(db: Reader, request: FastifyRequest, { memberships }: SignedIn) {
  const wanted = request.headers[WORKSPACE_HEADER];
  const projectId = (request.query as { project_id?: unknown }).project_id;
  const workspaceId =
    wanted !== undefined
      ? String(wanted)
      : typeof projectId === "string" && isId("prj", projectId)
        ? await findProjectWorkspace(db, projectId)
        : undefined;
  const found = memberships.find((one) => one.workspaceId === workspaceId);
  if (found !== undefined) return found;
  if (wanted !== undefined) throw new ApiError("FORBIDDEN", "You are no member of this workspace");
  const [only, ...others] = memberships;
  if (only === undefined) throw new ApiError("FORBIDDEN", "You are a member of no workspace");
  // A project of a workspace that the user is not in is then reported as absent.
  if (others.length === 0) return only;
  throw new ApiError("BAD_REQUEST", "You are in several workspaces: name one in the header X-Sextant-Workspace", {
    param: `header.${WORKSPACE_HEADER}`,
  });
}

export function requireRole({ role }: ActingMember, needed: MemberRole): void {
  if (hasRole(role, needed)) return;
  throw new ApiError("FORBIDDEN", `This needs the role ${needed}; yours is ${role}`);
}
