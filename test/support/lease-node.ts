/** A node with one job that runs once: it prints `begun` and works until it is stopped. Arguments: store URL, lease. */
import { once } from "node:events";
import { Registry } from "prom-client";
import { createRunOnce } from "../../src/control/leases.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createSteadyClock } from "../../src/lib/steady-clock.ts";
import { runJobs } from "../../src/service/run-jobs.ts";

const [url = "", leaseMs = ""] = process.argv.slice(2);
const log = { warn: (_: object, message: string) => void process.stderr.write(`${message}\n`) };
const store = await openPostgres<ControlSchema>(url, log);
const runOnce = createRunOnce({ store, steady: createSteadyClock(systemClock), leaseMs: Number(leaseMs) });
const job = {
  name: "work",
  everyMs: 100,
  share: 1,
  once: true,
  async run({ signal }: { signal: AbortSignal }) {
    process.stdout.write("begun\n");
    if (!signal.aborted) await once(signal, "abort");
  },
  whenFailed: "the next run works",
} as const;
const jobs = runJobs([job], { registry: new Registry(), log, runOnce });
process.stdout.write("ready\n");
await once(process, "SIGTERM");
await jobs.stop();
await store.close();
