import type { Registry } from "prom-client";
import { ApiError } from "../../contract/errors.ts";
import type { ReadyCheck } from "../../contract/ready-check.ts";
import { ROLES, type Role } from "../../contract/roles.ts";
import { Type } from "../../contract/type.ts";
import { type Route, readRoute } from "../../http/route.ts";
import { withTimeout } from "../../lib/timeout.ts";

export interface OpsNeeds extends Readiness {
  registry: Registry;
}

interface Readiness {
  checks: readonly ReadyCheck[];
  /** The roles of this node. */
  roles: readonly Role[];
  isStopping: () => boolean;
}

const CHECK_TIMEOUT_MS = 2_000;

const ReadyQuery = Type.Object({
  role: Type.Optional(
    Type.String({
      enum: [...ROLES],
      description: "Only what this role of the node needs; by default all of its roles.",
    }),
  ),
});

export function opsRoutes(deps: OpsNeeds): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/healthz",
      operationId: "getHealth",
      tag: "Operations",
      summary: "Is the process alive?",
      access: "open",
      answers: { 200: Type.Object({ status: Type.Literal("ok") }) },
      handle: async () => ({ status: 200, body: { status: "ok" } }),
    }),
    readRoute({
      method: "GET",
      path: "/readyz",
      operationId: "getReadiness",
      tag: "Operations",
      summary: "Can it do its work? A 503 names what is not ready.",
      access: "open",
      query: ReadyQuery,
      answers: {
        200: Type.Object({ status: Type.Literal("ready"), checks: Type.Record(Type.String(), Type.String()) }),
      },
      handle: async ({ parts: { query } }) => ({
        status: 200,
        body: { status: "ready", checks: await getReadiness(deps, query.role as Role | undefined) },
      }),
    }),
    readRoute({
      method: "GET",
      path: "/metrics",
      operationId: "getMetrics",
      tag: "Operations",
      summary: "Metrics in the Prometheus text format",
      access: "open",
      answers: { 200: "text/plain" },
      handle: async () => ({
        status: 200,
        text: await deps.registry.metrics(),
        contentType: deps.registry.contentType,
      }),
    }),
  ];
}

async function getReadiness(deps: Readiness, role: Role | undefined): Promise<Record<string, string>> {
  const asked = role === undefined ? deps.roles : [role];
  const states = await Promise.all(
    deps.checks.map(async ({ name, neededBy, check }) => {
      return { name, state: await stateOf(check), isNeeded: neededBy.some((one) => asked.includes(one)) };
    }),
  );
  if (deps.isStopping()) states.push({ name: "service", state: "stopping", isNeeded: true });
  if (role !== undefined && !deps.roles.includes(role))
    states.push({ name: "role", state: `this node has no role ${role}`, isNeeded: true });
  const bad = states.filter(({ state, isNeeded }) => isNeeded && state !== "ok");
  const told = Object.fromEntries(states.map(({ name, state }) => [name, state]));
  if (bad.length > 0) {
    const names = bad.map(({ name, state }) => `${name} (${state})`).join(", ");
    throw new ApiError("SERVICE_UNAVAILABLE", `Not ready: ${names}`, {
      details: told,
      headers: { "Retry-After": "1" },
    });
  }
  return told;
}

/** `ok`, or what is wrong. */
export async function stateOf(check: () => Promise<void>): Promise<string> {
  try {
    await withTimeout(CHECK_TIMEOUT_MS, check());
    return "ok";
  } catch (cause) {
    return cause instanceof Error ? cause.message : "failed";
  }
}
