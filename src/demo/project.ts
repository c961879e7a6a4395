/** The project of the demo: a workspace has at most one. */
import { createKeyText } from "../control/key-text.ts";
import { createWriteKey } from "../control/keys.ts";
import type { Reader, Tx } from "../control/store.ts";
import { createProject, listProjects, type Project } from "../control/tenants.ts";

const NAME = "Demo";

export async function findDemo(db: Reader, workspaceId: string): Promise<Project | undefined> {
  return (await listProjects(db, workspaceId)).find(({ isDemo }) => isDemo);
}

/** The text of the write key is kept nowhere: it is for sending the demo once. */
export async function createDemoProject(
  tx: Tx,
  workspaceId: string,
  secret: Buffer,
  nowMs: number,
): Promise<{ project: Project; writeKey: string }> {
  const taken = new Set((await listProjects(tx, workspaceId)).map(({ name }) => name));
  const name = freeName(taken);
  const project = await createProject(tx, workspaceId, name, nowMs, true);
  const text = createKeyText("write");
  const key = { name: "Demo data", text, projectId: project.id, expiresAtMs: null };
  await createWriteKey(tx, workspaceId, secret, key, nowMs);
  return { project, writeKey: text };
}

function freeName(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? NAME : `${NAME} ${number}`;
    if (!taken.has(name)) return name;
  }
}
