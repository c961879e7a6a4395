import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { generatedFiles } from "../../scripts/generate/files.ts";
import { defaultServers, openapiDocument } from "../../scripts/generate/openapi.ts";
import { CLICKHOUSE_ROUTES } from "../../src/http/clickhouse/mount.ts";
import { DASHBOARD_ROUTES } from "../../src/http/dashboard/mount.ts";
import { SCRIPT_ROUTES } from "../../src/http/events/script.ts";
import { withoutReferences } from "../../src/http/openapi-names.ts";
import { isAccountRoute, isSharedRoute, type Route } from "../../src/http/route.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { createDatabase } from "../support/postgres.ts";

interface Document {
  openapi: string;
  components: { securitySchemes: Record<string, { scheme?: string }> };
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        security?: unknown[];
        parameters: { name: string; in: string; required: boolean; schema: { default?: unknown } }[];
        requestBody?: unknown;
        responses: Record<string, unknown>;
      }
    >
  >;
}

const named = openapiDocument() as unknown as Document;
const document = withoutReferences(named);
const routes: Route[] = Object.values(defaultServers()).flatMap((server) => [...server.routes]);
const nameOf = (method: string, path: string) => `${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`;

describe("OpenAPI", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi("sqlite", {}, [], { dashboard: { index: '<base href="/">', files: new Map() } });
  });
  after(() => api.stop());

  test("the document is valid OpenAPI 3.1", async () => {
    assert.match(document.openapi, /^3\.1\./);
    const result = await new Validator().validate(structuredClone(named) as never);
    assert.ok(result.valid, JSON.stringify(result.errors));
  });

  test("request schemas of all routes are valid JSON Schema, which the service does not check itself", () => {
    const ajv = new Ajv2020({ strict: true });
    const schemas = routes.flatMap(({ params, query, body }) =>
      [params, query, body].filter((part) => part !== undefined),
    );
    assert.ok(schemas.length > 10);
    for (const schema of schemas)
      assert.ok(ajv.validateSchema(schema), `${JSON.stringify(schema)} ${ajv.errorsText()}`);
    assert.equal(ajv.validateSchema({ type: "object", properties: 1 }), false);
  });

  test("requests with a public link are sent without a credential, or with the opening of its password", () => {
    const shared = Object.entries(document.paths).filter(([path]) => path.startsWith("/api/shared/"));
    assert.equal(shared.length, 3);
    for (const [path, item] of shared)
      for (const { security } of Object.values(item)) assert.deepEqual(security, [{}, { opening: [] }], path);
    assert.deepEqual(document.components.securitySchemes.opening?.scheme, "bearer");
    assert.deepEqual(document.paths["/f/{formId}"]?.get?.security, []);
  });

  test("every route is in the document, and every operation of the document is a route", () => {
    const documented = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => nameOf(method, path)),
    );
    assert.deepEqual(documented.sort(), routes.map((route) => nameOf(route.method, route.path)).sort());
    assert.equal(
      new Set(Object.values(document.paths).flatMap((item) => Object.values(item).map((o) => o.operationId))).size,
      routes.length,
    );
  });

  test("the servers serve exactly the routes of the tables, of the dashboard, of the script and of ClickHouse's protocol", () => {
    const served = [api.servers.api, api.servers.events, api.servers.ops].flatMap((server) =>
      [...server.printRoutes({ commonPrefix: false, includeHooks: false }).matchAll(/(\S+) \(([A-Z, ]+)\)/g)].flatMap(
        (match) =>
          (match[2] ?? "").split(", ").map((method) => ({ method, path: (match[1] ?? "").replace(/^[^/*]*/, "") })),
      ),
    );
    const counted = served.filter(({ method, path }) => method !== "HEAD" && method !== "OPTIONS" && path !== "*");
    const pages = DASHBOARD_ROUTES.filter(({ path }) => !path.endsWith("*"));
    assert.equal(counted.length, routes.length + pages.length + CLICKHOUSE_ROUTES.length + SCRIPT_ROUTES.length);
    for (const { method, path } of [...DASHBOARD_ROUTES, ...CLICKHOUSE_ROUTES])
      assert.ok(api.servers.api.hasRoute({ method, url: path }), path);
    for (const { method, path } of SCRIPT_ROUTES) assert.ok(api.servers.events.hasRoute({ method, url: path }), path);
    for (const [name, { routes: table }] of Object.entries(defaultServers())) {
      const server = api.servers[name as keyof typeof api.servers];
      for (const route of table)
        assert.ok(server.hasRoute({ method: route.method, url: route.path }), `${name} ${route.path}`);
    }
  });

  test("a route with a key documents 401 and 429, with a scope or a session 403, too, and for visitors only 429", () => {
    for (const route of routes) {
      const operation = document.paths[route.path.replaceAll(/:(\w+)/g, "{$1}")]?.[route.method.toLowerCase()];
      const statuses = Object.keys(operation?.responses ?? {});
      const isOpen = ["open", "visitor"].includes(route.access);
      const isAccount = isAccountRoute(route);
      // The 401 of a public link is about its password.
      assert.equal(statuses.includes("401"), !isOpen || isAccount || isSharedRoute(route), route.path);
      assert.equal(
        statuses.includes("429"),
        route.access !== "open" || route.perReader === true || isAccount,
        route.path,
      );
      assert.equal(
        statuses.includes("403"),
        isAccount || !["open", "visitor", "any", "write-key"].includes(route.access),
        route.path,
      );
    }
  });

  test("parameters with a default are optional, path ones required; a report requires only its metric column", () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    for (const { operationId, parameters } of operations) {
      for (const one of parameters) {
        if (one.schema.default !== undefined) assert.equal(one.required, false, `${operationId} ${one.name}`);
        if (one.in === "path") assert.equal(one.required, true, `${operationId} ${one.name}`);
      }
    }
    const required = (path: string) =>
      document.paths[path]?.get?.parameters.filter((one) => one.required).map((one) => one.name);
    assert.deepEqual(required("/v0/top_sources"), []);
    assert.deepEqual(required("/v0/top_chains"), []);
    assert.deepEqual(required("/v0/revenue_by_metric"), ["metric_column"]);
  });

  test("what has a default may be left out of a body, at any depth", () => {
    const required: string[] = [];
    let defaults = 0;
    for (const { operationId, requestBody } of Object.values(document.paths).flatMap((item) => Object.values(item)))
      JSON.stringify(requestBody ?? null, (_name, part: { required?: unknown; properties?: object } | null) => {
        for (const [name, property] of Object.entries(part?.properties ?? {})) {
          if (typeof property !== "object" || !("default" in property)) continue;
          defaults += 1;
          if (Array.isArray(part?.required) && part.required.includes(name)) required.push(`${operationId} ${name}`);
        }
        return part;
      });
    assert.ok(defaults > 10, `${defaults} properties of bodies have a default`);
    assert.deepEqual(required, []);
  });

  test("a route that takes an id documents 404, wherever the id is", () => {
    const without = routes
      .filter(({ method, path }) => {
        const operation = document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
        return !("404" in (operation?.responses ?? {}));
      })
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(without.sort(), [
      "DELETE /api/account/oidc",
      "DELETE /api/account/sessions",
      "DELETE /api/demo",
      "GET /api/account",
      "GET /api/account/passkeys",
      "GET /api/account/sessions",
      "GET /api/account/wallets",
      "GET /api/demo",
      "GET /api/forms",
      "GET /api/settings/audit-log",
      "GET /api/settings/bi-tokens",
      "GET /api/settings/invites",
      "GET /api/settings/keys",
      "GET /api/settings/members",
      "GET /api/settings/projects",
      "GET /api/settings/system",
      "GET /api/settings/unknown-write-keys",
      "GET /api/settings/write-keys",
      "GET /api/sign-in",
      "GET /api/sign-in/oidc/callback",
      "GET /api/sign-in/oidc/start",
      "GET /api/tasks",
      "GET /docs",
      "GET /docs/errors",
      "GET /docs/guides",
      "GET /healthz",
      "GET /metrics",
      "GET /openapi.json",
      "GET /readyz",
      "GET /v0/boards/templates",
      "GET /v0/mail_addresses",
      "GET /v0/query/schema",
      "PATCH /api/settings/workspace",
      "POST /api/account/passkeys/begin",
      "POST /api/account/passkeys/finish",
      "POST /api/account/password",
      "POST /api/account/wallets/finish",
      "POST /api/demo",
      "POST /api/forms",
      "POST /api/settings/invites",
      "POST /api/settings/projects",
      "POST /api/sign-in/passkey/begin",
      "POST /api/sign-in/passkey/finish",
      "POST /api/sign-in/password",
      "POST /api/sign-in/wallet/finish",
      "POST /api/sign-out",
      "POST /api/validate-api-key",
      "POST /v0/mail_addresses",
    ]);
  });

  test("it is served as JSON and as a readable page that contacts no other host", async () => {
    const served = (await (await fetch(`${api.apiUrl}/openapi.json`)).json()) as Document;
    assert.deepEqual(Object.keys(served.paths), Object.keys(document.paths));
    const answer = await fetch(`${api.apiUrl}/docs`);
    const page = await answer.text();
    for (const route of routes) assert.ok(page.includes(route.summary.replaceAll("'", "&#39;")), route.summary);
    assert.doesNotMatch(page, /(src|href|action)="(https?:)?\/\//);
    assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  });
});

describe("generated files", () => {
  test("are up to date (npm run generate)", async (t) => {
    const database = await createDatabase();
    t.after(() => database.drop());
    for (const [path, text] of Object.entries(await generatedFiles(database.url))) {
      assert.equal(
        readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"),
        text,
        `${path} is stale: npm run generate`,
      );
    }
  });
});
