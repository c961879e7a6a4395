/**
 * How often a user alert would have fired in the last days, if the wallets had been then what they are now: nothing keeps
 * what a profile was. A wallet that meets the conditions is told with its first event, and again with its first event
 * after 24 hours, as the evaluation tells it.
 */
import { ALERT_LIMITS } from "../contract/alerts.ts";
import { METRIC_LIMITS, type WalletPreview } from "../contract/metric-alerts.ts";
import { HOUR_MS } from "../lib/time.ts";
import { eachInSlices } from "../lib/time-slices.ts";
import { readProfiles } from "../profiles/search.ts";
import type { ReportOwner } from "../query/report/question.ts";
import type { Report } from "../query/report/report.ts";
import type { Spent } from "../query/run/in-slot.ts";
import type { Lookup, RunLookup } from "../query/run/run-lookup.ts";
import type { RunOther } from "../query/run/run-report.ts";
import { seenWallets, walletMoments } from "../query/windows/wallet-moments.ts";
import { type AlertFilter, type Condition, meets, readCondition } from "./conditions.ts";
import { heldByProfile } from "./evaluate/held-by-profile.ts";
import { inParts } from "./evaluate/plan.ts";
import { askDays, countByDay, previewDays } from "./preview-days.ts";

const QUIET_MS = ALERT_LIMITS.walletHours * HOUR_MS;
/** Profiles of one read: what its answer holds is read at once, on the thread that serves all. */
const AT_ONCE = 100;

interface Looking {
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly spent?: Spent;
}

/** One project. The filters were checked before. */
export async function previewWallets(
  { runOther, runLookup }: { runOther: RunOther; runLookup: RunLookup },
  owner: ReportOwner & { readonly projects: readonly [{ readonly id: string }] },
  { filters, includeImported }: { filters: readonly AlertFilter[]; includeImported: boolean },
  { nowMs, signal, spent }: Looking,
): Promise<WalletPreview> {
  const days = previewDays(owner, nowMs);
  const ask = (report: Report) =>
    runOther("windows", report, owner, askDays(report, owner, days, nowMs), signal, spent);
  const { previewWallets: limit, previewMoments } = METRIC_LIMITS;
  const seen = await ask(seenWallets({ includeImported, limit }));
  const conditions = filters.flatMap((filter) => readCondition("user", filter, "", () => undefined) ?? []);
  const looked = seen.data.map(({ wallet }) => String(wallet));
  const found = await runLookup(walletsThat(owner.projects[0].id, looked, conditions), owner, signal, spent);
  const moments =
    found.length === 0 ? undefined : await ask(walletMoments(found, { includeImported, limit: previewMoments }));
  const isTold = createTellings();
  const told: number[] = [];
  // Up to 20,000, the newest first: others are served in between.
  await eachInSlices((moments?.data ?? []).toReversed(), ({ wallet, at_ms }) => {
    if (isTold(String(wallet), Number(at_ms))) told.push(Number(at_ms));
  });
  const counts = countByDay(owner, days, told);
  return {
    matches: counts.reduce((sum, one) => sum + one, 0),
    wallets: found.length,
    looked_at: looked.length,
    is_cut: seen.rows_before_limit_at_least > limit || (moments?.rows_before_limit_at_least ?? 0) > previewMoments,
    days: days.map((date, nth) => ({ date, matches: counts[nth] ?? 0 })),
  };
}

/** Those whose profiles meet the conditions, by the function of the evaluation. */
function walletsThat(
  projectId: string,
  addresses: readonly string[],
  conditions: readonly Condition[],
): Lookup<string[]> {
  return {
    name: "windows",
    async run({ engine, nowMs, signal }) {
      const found: string[] = [];
      for (const part of inParts(addresses, AT_ONCE)) {
        const profiles = await readProfiles(engine, projectId, part, { nowMs, signal });
        found.push(...profiles.filter((one) => meets(conditions, heldByProfile(one))).map(({ address }) => address));
      }
      return found;
    },
  };
}

/** Whether a wallet is told at a moment: to be asked of the moments of all wallets, the oldest first. */
export function createTellings(): (wallet: string, ms: number) => boolean {
  const lastMs = new Map<string, number>();
  return (wallet, ms) => {
    if (ms - (lastMs.get(wallet) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return false;
    lastMs.set(wallet, ms);
    return true;
  };
}
