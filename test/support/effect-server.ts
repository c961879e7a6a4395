/** A real process with one slow write, to be killed during it. Arguments: backend and location of its store. */
import { setTimeout as delay } from "node:timers/promises";
import { Type } from "typebox";
import { createProject } from "../../src/control/tenants.ts";
import { writeRoute } from "../../src/http/route.ts";
import { openStoreOfArguments, serveApi } from "./serve-api.ts";

const slowWrite = writeRoute({
  method: "POST",
  path: "/api/slow",
  operationId: "slow",
  tag: "Test",
  summary: "A write that takes its time between the effect and its commit",
  access: "any",
  body: Type.Object({ name: Type.String(), ms: Type.Number() }),
  answers: { 201: Type.Object({}) },
  handle: async ({ key, parts: { body } }, tx) => {
    const project = await createProject(tx, key.workspaceId, `${body.name} ${Math.random()}`, 1);
    await delay(body.ms);
    return { status: 201, body: { id: project.id } };
  },
});

await serveApi(await openStoreOfArguments(), { keyLeaseMs: 2_000, extraApiRoutes: [slowWrite] });
