import type { AccountBody } from "../contract/account.ts";
import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import { hasRole, type MemberRole, scopesOfRole } from "../contract/member-roles.ts";
import type { Reader } from "../control/store.ts";
import { findWorkspace, listProjects, type Project } from "../control/tenants.ts";
import type { SignedIn } from "./authenticate-session.ts";

/** The facts that a signed-in user may see: about themself, and about the workspaces they are in. */
export async function describeAccount(
  db: Reader,
  { user, session, memberships }: SignedIn,
  about: { urls: AccountBody["urls"]; version: string },
): Promise<AccountBody> {
  const workspaces: AccountBody["workspaces"] = [];
  for (const { workspaceId, role } of memberships) {
    const workspace = await findWorkspace(db, workspaceId);
    if (workspace === undefined) continue;
    const projects = (await listProjects(db, workspaceId)).map(viewProject);
    workspaces.push({
      id: workspace.id,
      name: workspace.name,
      role,
      scopes: [...scopesOfRole(role)],
      can: abilities(role),
      projects,
    });
  }
  return {
    user: {
      id: user.id,
      name: user.name,
      hasPassword: user.passwordHash !== null,
      createdAt: iso(user.createdAtMs),
    },
    session: {
      id: session.id,
      method: session.method,
      expiresAt: iso(session.expiresAtMs),
      freshUntil: iso(session.createdAtMs + ACCOUNT_LIMITS.freshMinutes * 60_000),
    },
    workspaces,
    methods: await countMethods(db, user.id),
    ...about,
  };
}

function abilities(role: MemberRole): AccountBody["workspaces"][number]["can"] {
  const [isEditor, isAdmin, isOwner] = (["editor", "admin", "owner"] as const).map((one) => hasRole(role, one));
  const [edit, manage] = [isEditor === true, isAdmin === true];
  return {
    edit,
    runSql: edit,
    manageProjects: manage,
    manageKeys: manage,
    manageMembers: manage,
    manageWorkspace: isOwner === true,
  };
}

export function viewProject(project: Project): AccountBody["workspaces"][number]["projects"][number] {
  return {
    id: project.id,
    name: project.name,
    excludeBots: project.excludeBots,
    retentionDays: project.retentionDays,
    moneyUnit: project.moneyUnit,
    timezone: project.timezone,
    isDemo: project.isDemo,
    createdAt: iso(project.createdAtMs),
  };
}

async function countMethods(db: Reader, userId: string): Promise<AccountBody["methods"]> {
  const count = async (table: "passkeys" | "wallets" | "identities") => {
    const row = await db
      .selectFrom(table)
      .select((e) => e.fn.countAll().as("n"))
      .where("user_id", "=", userId)
      .executeTakeFirst();
    return Number(row?.n ?? 0);
  };
  return {
    passkeys: await count("passkeys"),
    wallets: await count("wallets"),
    oidc: (await count("identities")) > 0,
  };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
