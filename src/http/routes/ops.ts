import type { Registry } from "prom-client";
import { Type } from "typebox";
import { ApiError } from "../../contract/errors.ts";
import { type Route, readRoute } from "../route.ts";

/** One thing the service needs; `check` resolves when it is there and rejects with a public sentence when it is not. */
export interface ReadyCheck {
  name: string;
  check(): Promise<void>;
}

const CHECK_TIMEOUT_MS = 2_000;

export function opsRoutes(deps: {
  checks: readonly ReadyCheck[];
  registry: Registry;
  isStopping: () => boolean;
}): Route[] {
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
      answers: {
        200: Type.Object({ status: Type.Literal("ready"), checks: Type.Record(Type.String(), Type.String()) }),
      },
      handle: async () => ({ status: 200, body: { status: "ready", checks: await getReadiness(deps) } }),
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

async function getReadiness(deps: {
  checks: readonly ReadyCheck[];
  isStopping: () => boolean;
}): Promise<Record<string, string>> {
  const states = await Promise.all(deps.checks.map(async ({ name, check }) => [name, await stateOf(check)] as const));
  if (deps.isStopping()) states.push(["service", "stopping"]);
  const bad = states.filter(([, state]) => state !== "ok");
  if (bad.length > 0) {
    throw new ApiError(
      "SERVICE_UNAVAILABLE",
      `Not ready: ${bad.map(([name, state]) => `${name} (${state})`).join(", ")}`,
      {
        details: Object.fromEntries(states),
        headers: { "Retry-After": "1" },
      },
    );
  }
  return Object.fromEntries(states);
}

async function stateOf(check: () => Promise<void>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS / 1000} s`)), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check(), late]);
    return "ok";
  } catch (cause) {
    return cause instanceof Error ? cause.message : "failed";
  } finally {
    clearTimeout(timer);
  }
}
