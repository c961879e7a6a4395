import type { Registry } from "prom-client";
import { createSecretBox } from "../control/secret-box.ts";
import type { ControlStore } from "../control/store.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import type { AddressPolicy } from "./address-guard.ts";
import { releaseAbandoned } from "./housekeeping.ts";
import { createDeliveryMetrics } from "./metrics.ts";
import { createSender } from "./send.ts";
import { SLOT_LIMITS } from "./slots.ts";
import { type SendMail, startWorker } from "./worker.ts";

export interface Delivery {
  /** Announces new deliveries. */
  wake(): void;
  stop(): Promise<void>;
}

/** Starts the delivery worker and its sender. On SQLite it first releases the leases of the previous process. */
export async function startDelivery(deps: {
  store: ControlStore;
  secret: Buffer;
  policy: AddressPolicy;
  version: string;
  steady: Clock;
  registry: Registry;
  log: WarnLog;
  /** Absent where no mail is sent. */
  sendMail?: SendMail;
}): Promise<Delivery> {
  const { store, steady, log } = deps;
  await releaseAbandoned(store, steady.nowMs());
  const sender = createSender({
    ...deps.policy,
    clock: systemClock,
    version: deps.version,
    limits: { perTarget: SLOT_LIMITS.perOrigin, total: SLOT_LIMITS.total },
  });
  const worker = startWorker({
    store,
    box: createSecretBox(deps.secret, "webhook secrets"),
    send: sender.send,
    clock: systemClock,
    steady,
    random: Math.random,
    log,
    observe: createDeliveryMetrics(deps),
    ...(deps.sendMail === undefined ? {} : { sendMail: deps.sendMail }),
  });
  return {
    wake: worker.wake,
    async stop() {
      await worker.stop();
      await sender.close();
    },
  };
}
