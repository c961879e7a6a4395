/** A real process with one slow write, for killing it in the middle. Arguments: backend and where its store is. */
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { Registry } from "prom-client";
import { Type } from "typebox";
import { releaseAbandonedKeys } from "../../src/control/idempotency.ts";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import { createProject } from "../../src/control/tenants.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { openSqlite } from "../../src/engines/control-sqlite.ts";
import { buildServers } from "../../src/http/app.ts";
import { writeRoute } from "../../src/http/route.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { TEST_SECRET } from "./api.ts";
import { quietLog } from "./control.ts";
import { echoReport } from "./reports.ts";

const [backend, place = ""] = process.argv.slice(2);
const store =
  backend === "sqlite" ? openSqlite<ControlSchema>(place) : await openPostgres<ControlSchema>(place, quietLog);
await migrateControl(store, systemClock);
await releaseAbandonedKeys(store);

const slowWrite = writeRoute({
  method: "POST",
  path: "/api/slow",
  operationId: "slow",
  tag: "Test",
  summary: "A write that takes its time between the effect and its commit",
  access: "any",
  body: Type.Object({ name: Type.String(), ms: Type.Number() }),
  answers: { 201: Type.Object({}) },
  handle: async ({ key, body }, tx) => {
    const project = await createProject(tx, key.workspaceId, `${body.name} ${Math.random()}`, 1);
    await delay(body.ms);
    return { status: 201, body: { id: project.id } };
  },
});

const { api } = await buildServers(
  {
    version: "0",
    apiUrl: () => "http://test",
    eventsUrl: () => "http://test",
    opsUrl: () => "http://test",
    apiRate: { perSecond: 10_000, burst: 10_000 },
    eventsRate: { perSecond: 100_000, burst: 100_000 },
    countryHeader: "",
    failedAuthPerMinute: 1_000,
    formAddressPerMinute: 1_000,
    formPerMinute: 1_000,
    trustedProxies: [],
    apiCorsOrigins: [],
  },
  {
    store,
    secret: TEST_SECRET,
    clock: systemClock,
    log: pino({ level: "silent" }),
    registry: new Registry(),
    checks: [],
    roles: ["api"],
    isStopping: () => false,
    wakeDelivery: () => undefined,
    runReport: echoReport,
    targetPolicy: { allowNetworks: [], allowLoopback: true },
    isUnavailable: (cause) => store.isUnavailable(cause),
    keyLeaseMs: 2_000,
    extraApiRoutes: [slowWrite],
  },
);
process.stdout.write(`listening on ${await api.listen({ host: "127.0.0.1", port: 0 })}\n`);
