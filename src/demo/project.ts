/** The project of the demo, with its notes and its form: a workspace has at most one. */
import { createAnnotation } from "../control/annotations.ts";
import { deriveKeyText } from "../control/key-text.ts";
import { createWriteKey } from "../control/keys.ts";
import type { Reader, Tx } from "../control/store.ts";
import { createProject, deleteProject, listProjects, type Project } from "../control/tenants.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { startOfDemo } from "./events.ts";
import { NOTES } from "./exchange.ts";
import { createSurvey, deleteSurvey } from "./survey.ts";

const NAME = "Demo";

export async function findDemo(db: Reader, workspaceId: string): Promise<Project | undefined> {
  return (await listProjects(db, workspaceId)).find(({ isDemo }) => isDemo);
}

export async function createDemoProject(
  tx: Tx,
  workspaceId: string,
  secret: Buffer,
  nowMs: number,
): Promise<{ project: Project; writeKey: string }> {
  const taken = new Set((await listProjects(tx, workspaceId)).map(({ name }) => name));
  const name = freeName(taken);
  const project = await createProject(tx, workspaceId, name, nowMs, true);
  const text = demoWriteKey(secret, project.id);
  const key = { name: "Demo data", text, projectId: project.id, expiresAtMs: null };
  await createWriteKey(tx, workspaceId, secret, key, nowMs);
  for (const { day, note } of NOTES) {
    const noted = { projectId: project.id, day: dayOf(startOfDemo(nowMs) + day * DAY_MS), note };
    await createAnnotation(tx, workspaceId, noted, nowMs);
  }
  await createSurvey(tx, workspaceId, project.id, nowMs);
  return { project, writeKey: text };
}

/** All of it. Its events are removed within minutes. */
export async function deleteDemo(tx: Tx, { workspaceId, id }: Project, nowMs: number): Promise<void> {
  await deleteSurvey(tx, workspaceId, id, nowMs);
  await deleteProject(tx, workspaceId, id, nowMs);
}

/** Kept nowhere: the service makes it again when somebody looks at the demo. */
export function demoWriteKey(secret: Buffer, projectId: string): string {
  return deriveKeyText("write", secret, `demo ${projectId}`);
}

function freeName(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? NAME : `${NAME} ${number}`;
    if (!taken.has(name)) return name;
  }
}
