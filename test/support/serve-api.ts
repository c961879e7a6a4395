/** The API server in a process of its own, for tests that kill it. */
import { pino } from "pino";
import { Registry } from "prom-client";
import { releaseAbandonedKeys } from "../../src/control/idempotency.ts";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { openSqlite } from "../../src/engines/control-sqlite.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createStreamThread } from "../../src/lib/stream-thread.ts";
import { type AppDeps, buildServers } from "../../src/routes/servers.ts";
import { TEST_SECRET } from "./api.ts";
import { quietLog } from "./control.ts";
import { TEST_NEEDS } from "./route-needs.ts";

/** The store of the arguments (backend and location), migrated as the service does at its start. */
export async function openStoreOfArguments(): Promise<ControlStore> {
  const [backend, place = ""] = process.argv.slice(2);
  const store =
    backend === "sqlite" ? openSqlite<ControlSchema>(place) : await openPostgres<ControlSchema>(place, quietLog);
  await migrateControl(store, systemClock);
  await releaseAbandonedKeys(store);
  return store;
}

const UNLIMITED = { perSecond: 100_000, burst: 100_000 };

/** Without limits that a test could reach; prints its address on standard output. */
export async function serveApi(store: ControlStore, changes: Partial<AppDeps> = {}): Promise<void> {
  const { api } = await buildServers(
    {
      version: "0",
      apiUrl: () => "http://test",
      eventsUrl: () => "http://test",
      opsUrl: () => "http://test",
      apiRate: UNLIMITED,
      eventsRate: UNLIMITED,
      eventsBytesPerSecond: 10_000_000_000,
      countryHeader: "",
      failedAuthPerMinute: 1_000,
      signInAddressPerMinute: 1_000_000,
      formAddressPerMinute: 10_000_000,
      formPerMinute: 10_000_000,
      formMbPerDay: 1_000_000,
      pageAddressPerMinute: 10_000_000,
      querySlots: 4,
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
      ...TEST_NEEDS,
      // It starts with the first large answer, and these are small.
      answerThread: createStreamThread(),
      targetPolicy: { allowNetworks: [], allowLoopback: true },
      isUnavailable: (cause) => store.isUnavailable(cause),
      ...changes,
    },
  );
  process.stdout.write(`listening on ${await api.listen({ host: "127.0.0.1", port: 0 })}\n`);
}
