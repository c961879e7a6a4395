import { SCOPES } from "../contract/scopes.ts";
import type { Clock } from "../lib/clock.ts";
import { createKeyText } from "./key-text.ts";
import { createApiKey, createWriteKey } from "./keys.ts";
import { lockStart } from "./lock-start.ts";
import type { ControlStore } from "./store.ts";
import { createProject, createWorkspace } from "./tenants.ts";

export interface FirstCredentials {
  workspaceId: string;
  projectId: string;
  apiKey: string;
  writeKey: string;
}

/**
 * Fills an empty store: one workspace, one project, one key of each kind. Nodes that start together take a lock, so
 * that only one of them does it.
 */
export async function bootstrap(
  store: ControlStore,
  deps: {
    secret: Buffer;
    clock: Clock;
    presetApiKey?: string | undefined;
    presetWriteKey?: string | undefined;
    /** Shows or saves the keys. Runs before the commit: nobody could use stored keys whose text is lost. */
    keep(credentials: FirstCredentials): void;
  },
): Promise<FirstCredentials | undefined> {
  return store.write(async (tx) => {
    await lockStart(store.backend, tx);
    const known = await tx.selectFrom("workspaces").select("id").limit(1).executeTakeFirst();
    if (known) return undefined;
    const now = deps.clock.nowMs();
    const apiKey = deps.presetApiKey ?? createKeyText("api");
    const writeKey = deps.presetWriteKey ?? createKeyText("write");
    const workspace = await createWorkspace(tx, "My workspace", now);
    const project = await createProject(tx, workspace.id, "My project", now);
    const common = { name: "First key", expiresAtMs: null };
    await createApiKey(
      tx,
      workspace.id,
      deps.secret,
      { ...common, text: apiKey, projectId: null, scopes: SCOPES },
      now,
    );
    await createWriteKey(tx, workspace.id, deps.secret, { ...common, text: writeKey, projectId: project.id }, now);
    const credentials = { workspaceId: workspace.id, projectId: project.id, apiKey, writeKey };
    deps.keep(credentials);
    return credentials;
  });
}
