/** Who is signed in, and which projects they see: `GET /api/account`. */
import { createContext, useContext } from "react";
import type { Day } from "../format/days.ts";
import { call } from "./client.ts";

export interface AccountProject {
  id: string;
  name: string;
  excludeBots: boolean;
  retentionDays: number | null;
  /** What revenue and volume are counted in. */
  moneyUnit: string;
  /** The time zone whose days its reports count. */
  timezone: string;
  /** Its events are invented. */
  isDemo: boolean;
  createdAt: string;
}

export interface Workspace {
  id: string;
  name: string;
  role: "owner" | "admin" | "editor" | "viewer";
  scopes: readonly string[];
  can: { manageKeys: boolean; manageMembers: boolean; manageProjects: boolean; runSql: boolean; edit: boolean };
  projects: readonly AccountProject[];
}

export interface Account {
  user: { id: string; name: string; hasPassword: boolean; createdAt: string };
  /** Until `freshUntil` ways to sign in can be added. */
  session: { id: string; method: string; expiresAt: string; freshUntil: string };
  workspaces: readonly Workspace[];
  methods: { passkeys: number; wallets: number; oidc: boolean };
  urls: { api: string; events: string };
  version: string;
}

export interface SignInChoices {
  setupOpen: boolean;
  methods: { password: boolean; passkey: boolean; wallet: boolean; oidc: { name: string } | null };
}

/** A project of any workspace of the user. */
export interface Project extends AccountProject {
  workspaceId: string;
  /** Set where the user is in several workspaces. */
  workspaceName: string | undefined;
  /** The first day with events: null without any, undefined while it is not known. */
  firstDay?: string | null | undefined;
}

export interface Session extends Account {
  /** The workspace of the project that the page shows. */
  workspace: Workspace;
  /** The project that the page shows; undefined where the workspace has none. */
  project: Project | undefined;
  projects: readonly Project[];
  /** In the zone of the project. */
  today: Day;
}

/** Most answers of `/api/` come in this wrapper. */
export interface Wrapped<T> {
  isSuccess: true;
  data: T;
}

export async function readAccount(signal?: AbortSignal): Promise<Account> {
  return (await call<Wrapped<Account>>({ path: "/api/account", isFirst: true, ...(signal ? { signal } : {}) })).data;
}

/** The account as seen from one project: its workspace is the one that is meant. */
export function sessionOf(account: Account, projectId: string | undefined): Omit<Session, "today"> | undefined {
  const several = account.workspaces.length > 1;
  const projects = account.workspaces.flatMap((workspace) =>
    workspace.projects.map((project) => ({
      ...project,
      workspaceId: workspace.id,
      workspaceName: several ? workspace.name : undefined,
    })),
  );
  const shown = projects.find(({ id }) => id === projectId) ?? projects[0];
  const workspace = account.workspaces.find(({ id }) => id === shown?.workspaceId) ?? account.workspaces[0];
  return workspace === undefined ? undefined : { ...account, workspace, project: shown, projects };
}

const Context = createContext<Session | undefined>(undefined);

export const SessionProvider = Context.Provider;

/** False for who opens a public link. */
export function useIsSignedIn(): boolean {
  return useContext(Context) !== undefined;
}

export function useSession(): Session {
  const session = useContext(Context);
  if (session === undefined) throw new Error("this part of the page needs a session");
  return session;
}
