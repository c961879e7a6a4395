import type { Static } from "typebox";
import type { ValidateApiKeyAnswer } from "../contract/validate-api-key.ts";
import type { ApiKey } from "./keys.ts";
import type { Reader } from "./store.ts";
import { findWorkspace, listProjects } from "./tenants.ts";

/** The facts that the holder of a key may see: the key itself, its workspace and its projects. */
export async function describeKey(db: Reader, key: ApiKey): Promise<Static<typeof ValidateApiKeyAnswer>> {
  const workspace = await findWorkspace(db, key.workspaceId);
  if (!workspace) throw new Error(`key ${key.id} has no workspace`);
  const projects = await listProjects(db, key.workspaceId);
  const seen = projects.filter((project) => key.projectId === null || project.id === key.projectId);
  const scopes = [...key.scopes];
  return {
    isSuccess: true,
    validated: true,
    details: workspace.name,
    teamId: workspace.id,
    scopes: { project_id: key.projectId, list: scopes },
    data: {
      validated: true,
      workspace: { id: workspace.id, name: workspace.name, createdAt: iso(workspace.createdAtMs) },
      projects: seen.map(({ id, name }) => ({ id, name })),
      key: {
        id: key.id,
        name: key.name,
        prefix: key.prefix,
        scopes,
        projectId: key.projectId,
        createdAt: iso(key.createdAtMs),
        expiresAt: key.expiresAtMs === null ? null : iso(key.expiresAtMs),
      },
    },
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
