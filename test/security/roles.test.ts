import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { defaultServers } from "../../scripts/generate/openapi.ts";
import { hasRole, MEMBER_ROLES, type MemberRole } from "../../src/contract/member-roles.ts";
import { isAccountRoute, isEventsRoute, isHosted } from "../../src/http/route.ts";
import { newId } from "../../src/lib/ids.ts";
import { IS_LONG } from "../../src/lib/testing.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { addPerson, type TestPerson } from "../support/people.ts";

/**
 * The least role of every route that a session may call, written again apart from the routes: a route that forgets its
 * role fails here. Routes that are not named take `viewer` for GET and `editor` for the rest.
 */
const LEAST_ROLES: Record<string, MemberRole> = {
  "PATCH /api/settings/members/:userId": "admin",
  // Members may leave. That they remove nobody else is tested in settings.test.ts.
  "DELETE /api/settings/members/:userId": "viewer",
  "GET /api/settings/invites": "admin",
  "POST /api/settings/invites": "admin",
  "DELETE /api/settings/invites/:inviteId": "admin",
  "POST /api/settings/projects": "admin",
  "PATCH /api/settings/projects/:projectId": "admin",
  "DELETE /api/settings/projects/:projectId": "admin",
  "POST /api/demo": "admin",
  "DELETE /api/demo": "admin",
  "POST /api/tasks/:taskId/cancel": "admin",
  "GET /api/imports/:importId/refused": "editor",
  "POST /api/notifications/read": "viewer",
  "PATCH /api/settings/workspace": "owner",
  "GET /api/settings/keys": "admin",
  "POST /api/settings/keys": "admin",
  "DELETE /api/settings/keys/:keyId": "admin",
  "GET /api/settings/unknown-write-keys": "admin",
  "GET /api/settings/write-keys": "admin",
  "POST /api/settings/write-keys": "admin",
  "DELETE /api/settings/write-keys/:keyId": "admin",
  "GET /api/settings/bi-tokens": "admin",
  "POST /api/settings/bi-tokens": "admin",
  "DELETE /api/settings/bi-tokens/:keyId": "admin",
  "GET /api/settings/audit-log": "admin",
  "GET /api/settings/system": "admin",
  "DELETE /v0/profiles/:address": "admin",
};

const routes = defaultServers().api.routes.filter(
  (route) =>
    !isHosted(route) && !isEventsRoute(route) && !isAccountRoute(route) && route.access !== "open" && !route.keyInBody,
);

describe("roles", () => {
  let api: TestApi;
  const people = new Map<MemberRole, TestPerson>();
  before(async () => {
    api = await startApi("sqlite", {}, []);
    const { workspaceId } = await api.createKey();
    for (const role of MEMBER_ROLES) people.set(role, await addPerson(api, workspaceId, role));
  });
  after(() => api.stop());

  test("every named route exists", () => {
    const names = routes.map(({ method, path }) => `${method} ${path}`);
    for (const name of Object.keys(LEAST_ROLES)) assert.ok(names.includes(name), name);
  });

  for (const { method, path } of routes) {
    const name = `${method} ${path}`;
    const least = LEAST_ROLES[name] ?? (method === "GET" ? "viewer" : "editor");
    test(`${name} refuses every role below ${least}, and no other`, async () => {
      for (const [role, person] of people) {
        // In a short run the least role that may, and its neighbours.
        if (!IS_LONG && Math.abs(MEMBER_ROLES.indexOf(role) - MEMBER_ROLES.indexOf(least)) > 1) continue;
        const sent = path.replaceAll(/:(\w+)/g, () => newId("abc"));
        const controller = new AbortController();
        // A body that no schema takes: what passes the role changes nothing.
        const answer = await fetch(`${api.apiUrl}${sent}`, {
          method,
          headers: { cookie: person.cookie, "content-type": "application/json" },
          signal: controller.signal,
          ...(method === "GET" ? {} : { body: "[]" }),
        });
        const text = answer.headers.get("content-type")?.includes("json") ? await answer.text() : "";
        // A stream has no end.
        controller.abort();
        assert.equal(answer.status === 403, !hasRole(role, least), `${role}: ${answer.status} ${text}`);
      }
    });
  }

  test("SQL is for editors, whatever its method and scope", () => {
    for (const { method, path, role } of routes.filter((route) => route.path === "/v0/query"))
      assert.ok(method !== "GET" || role === "editor", path);
  });
});
