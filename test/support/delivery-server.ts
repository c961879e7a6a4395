/**
 * The API server and the delivery worker over one store, as the service runs them, without the analytics engine that makes a
 * start slow: for killing it many times. Arguments: backend and where its store is.
 */
import { pino } from "pino";
import { Registry } from "prom-client";
import { releaseAbandonedKeys } from "../../src/control/idempotency.ts";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { openSqlite } from "../../src/engines/control-sqlite.ts";
import { buildServers } from "../../src/http/app.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { TEST_SECRET } from "./api.ts";
import { quietLog } from "./control.ts";
import { startTestDelivery } from "./delivery.ts";
import { echoReport } from "./reports.ts";

const [backend, place = ""] = process.argv.slice(2);
const store =
  backend === "sqlite" ? openSqlite<ControlSchema>(place) : await openPostgres<ControlSchema>(place, quietLog);
await migrateControl(store, systemClock);
await releaseAbandonedKeys(store);
const registry = new Registry();
const delivery = await startTestDelivery(store, registry);
const { api } = await buildServers(
  {
    version: "0",
    apiUrl: () => "http://test",
    eventsUrl: () => "http://test",
    opsUrl: () => "http://test",
    apiRate: { perSecond: 100_000, burst: 100_000 },
    eventsRate: { perSecond: 100_000, burst: 100_000 },
    countryHeader: "",
    failedAuthPerMinute: 1_000,
    formAddressPerMinute: 10_000_000,
    formPerMinute: 10_000_000,
    trustedProxies: [],
    apiCorsOrigins: [],
  },
  {
    store,
    secret: TEST_SECRET,
    clock: systemClock,
    log: pino({ level: "silent" }),
    registry,
    checks: [],
    roles: ["api"],
    isStopping: () => false,
    wakeDelivery: delivery.wake,
    runReport: echoReport,
    targetPolicy: { allowNetworks: [], allowLoopback: true },
    isUnavailable: (cause) => store.isUnavailable(cause),
  },
);
process.stdout.write(`listening on ${await api.listen({ host: "127.0.0.1", port: 0 })}\n`);
