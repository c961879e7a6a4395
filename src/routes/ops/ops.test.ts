import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Registry } from "prom-client";
import { ApiError } from "../../contract/errors.ts";
import { ROLES, type Role } from "../../contract/roles.ts";
import type { ReadRoute, RouteRequest } from "../../http/route.ts";
import { opsRoutes } from "./ops.ts";

/** Asks /readyz of a node with these roles on which one thing is away. */
async function ask(roles: readonly Role[], away: string, role?: Role, stopping = false) {
  const needs: [string, Role[]][] = [
    ["control store", ["api", "worker"]],
    ["engine", ["worker"]],
    ["log", ["ingest"]],
  ];
  const checks = needs.map(([name, neededBy]) => ({
    name,
    neededBy,
    check: async () => {
      if (name === away) throw new Error("is away");
    },
  }));
  const routes = opsRoutes({ checks, roles, registry: new Registry(), isStopping: () => stopping });
  const route = routes.find(({ path }) => path === "/readyz") as ReadRoute;
  try {
    const { body } = await route.handle({ parts: { query: { role } } } as unknown as RouteRequest);
    return { ready: true, told: (body as { checks: Record<string, string> }).checks };
  } catch (cause) {
    assert.ok(cause instanceof ApiError && cause.code === "SERVICE_UNAVAILABLE");
    return { ready: false, told: cause.details };
  }
}

describe("readiness", () => {
  const cases: [what: string, roles: readonly Role[], away: string, asked: Role | undefined, ready: boolean][] = [
    ["an ingest node without the engine", ["ingest"], "engine", undefined, true],
    ["an ingest node without the control store", ["ingest"], "control store", undefined, true],
    ["an ingest node whose log takes nothing", ["ingest"], "log", undefined, false],
    ["an API node without the engine", ["api"], "engine", undefined, true],
    ["an API node without the control store", ["api"], "control store", undefined, false],
    ["a worker without the engine", ["worker"], "engine", undefined, false],
    ["a node for everything without the engine", ROLES, "engine", undefined, false],
    ["the events of a node for everything without the engine", ROLES, "engine", "ingest", true],
    ["the events of a node for everything without its log", ROLES, "log", "ingest", false],
    ["a role that the node does not have", ["ingest"], "", "api", false],
  ];
  for (const [what, roles, away, asked, ready] of cases) {
    test(`${what}: ${ready ? "ready" : "not ready"}, and unavailable parts are listed`, async () => {
      const answer = await ask(roles, away, asked);
      assert.equal(answer.ready, ready);
      if (away !== "") assert.equal(answer.told?.[away], "is away");
    });
  }

  test("a stopping node is not ready, whatever the request", async () => {
    for (const role of [undefined, ...ROLES]) assert.equal((await ask(ROLES, "", role, true)).ready, false);
  });

  test("a stopping node that lacks the requested role reports both", async () => {
    const { told } = await ask(["ingest"], "", "api", true);
    assert.equal(told?.service, "stopping");
    assert.equal(told?.role, "this node has no role api");
  });
});
