import { Registry } from "prom-client";
import { createRunOnce } from "../../src/control/leases.ts";
import { createRemovals } from "../../src/control/removals.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { runJobs } from "../../src/service/run-jobs.ts";
import { type Delivery, startDelivery } from "../../src/webhooks/delivery.ts";
import { webhookJobs } from "../../src/webhooks/jobs.ts";
import { TEST_SECRET } from "./api.ts";
import { quietLog } from "./control.ts";

/** The delivery worker with its jobs, as a worker runs them, with targets on loopback. */
export async function startTestDelivery(store: ControlStore, registry = new Registry()): Promise<Delivery> {
  const delivery = await startDelivery({
    store,
    secret: TEST_SECRET,
    policy: { allowNetworks: [], allowLoopback: true },
    version: "0",
    steady: systemClock,
    registry,
    log: quietLog,
  });
  const removals = createRemovals({ store, clock: systemClock, clocks: [], registry, log: quietLog });
  const jobs = runJobs(webhookJobs({ store, steady: systemClock, removals, wakeDelivery: delivery.wake }), {
    registry,
    log: quietLog,
    runOnce: createRunOnce({ store, steady: systemClock }),
  });
  return {
    wake: delivery.wake,
    async stop() {
      await jobs.stop();
      await delivery.stop();
    },
  };
}
