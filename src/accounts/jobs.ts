import type { Removals } from "../control/removals.ts";
import type { ControlStore } from "../control/store.ts";
import { type Job, untilNothing } from "../lib/job.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/time.ts";
import { purgeAudit } from "./audit.ts";
import { purgeSessions } from "./sessions.ts";

export function accountJobs({ store, removals }: { store: ControlStore; removals: Removals }): Job[] {
  return [
    {
      name: "purge_sessions",
      everyMs: 10 * MINUTE_MS,
      share: 0.5,
      once: true,
      run: ({ rest }) => removals.run("sessions", (nowMs) => untilNothing(rest, () => purgeSessions(store, nowMs))),
      whenFailed: "the next run removes them; they are expired either way",
    },
    {
      name: "purge_audit_log",
      everyMs: HOUR_MS,
      share: 0.5,
      once: true,
      run: ({ rest }) => removals.run("audit_log", (nowMs) => untilNothing(rest, () => purgeAudit(store, nowMs))),
      whenFailed: "the next run removes the entries",
    },
  ];
}
