import type { Job } from "../lib/job.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/time.ts";
import { type FillDeps, fillWallets } from "./fill.ts";

export interface ProviderJobDeps extends Omit<FillDeps, "provider"> {
  readonly providers: readonly FillDeps["provider"][];
  readonly nowMs: () => number;
}

const EVERY_MS = 5 * MINUTE_MS;

/** None without a provider: nothing leaves the machine. */
export function providerJobs({ providers, nowMs, ...deps }: ProviderJobDeps): Job[] {
  return providers.map((provider) => ({
    name: `ask_${provider.name}`,
    everyMs: EVERY_MS,
    share: 1,
    once: true,
    run: ({ signal }) => {
      const now = nowMs();
      // What was not asked for in a run is asked for in a later one if it is still active.
      return fillWallets({ ...deps, provider }, { sinceMs: now - HOUR_MS, nowMs: now, signal });
    },
    whenFailed: "profiles keep what they show, and the next run asks again",
  }));
}
