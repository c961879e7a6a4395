import { memoize } from "../lib/bounded-cache.ts";
import { type Step, startDraft } from "./draft.ts";
import { type Outcome, park } from "./outcome.ts";
import type { ReceivedEvent } from "./received-event.ts";
import { loadSources } from "./sources.ts";
import { makePutAcquisition } from "./steps/acquisition.ts";
import { parseBodies } from "./steps/bodies.ts";
import { makePutCampaign, readCampaignParams } from "./steps/campaign.ts";
import { putDefaults } from "./steps/defaults.ts";
import { makePutDevice } from "./steps/device.ts";
import { putExtra } from "./steps/extra.ts";
import { putIdentity } from "./steps/identity.ts";
import { loadPlaces, makePutLocation } from "./steps/location.ts";
import { putMoney } from "./steps/money.ts";
import { makePutPage } from "./steps/page.ts";
import { putPaidSource } from "./steps/paid.ts";
import { makePutReferrer } from "./steps/referrer.ts";
import { putSession } from "./steps/session.ts";
import { putTimes } from "./steps/times.ts";
import { putTouch } from "./steps/touch.ts";
import { putWallet } from "./steps/wallet.ts";
import { parseUrl, registrableDomain } from "./url.ts";
import { loadWalletTokens, readAgent } from "./user-agent.ts";

/**
 * Pages, hosts and user agents repeat far more often than they vary. Full caches took 10 MB, and 23 MB with long URLs.
 */
const CACHED = { urls: 10_000, queries: 5_000, hosts: 10_000, agents: 10_000 } as const;

export type Enrich = (event: ReceivedEvent) => Outcome;

/**
 * Reads the data files and starts with empty caches. One per process is enough: a row depends on nothing but its event.
 */
export function createEnrich(): Enrich {
  const steps = makeSteps();
  return (event) => runSteps(steps, event);
}

/** THE list. A step may read the columns that the steps above it have filled. */
function makeSteps(): readonly Step[] {
  const wallets = loadWalletTokens();
  const readUrl = memoize(CACHED.urls, parseUrl);
  return [
    putDefaults,
    parseBodies,
    putIdentity,
    putTimes,
    putSession,
    makePutPage(readUrl),
    makePutReferrer({ readUrl, registrableDomain: memoize(CACHED.hosts, registrableDomain) }),
    makePutCampaign(memoize(CACHED.queries, readCampaignParams)),
    putTouch,
    makePutDevice(memoize(CACHED.agents, (text) => readAgent(wallets, text))),
    makePutLocation(loadPlaces()),
    putWallet,
    putMoney,
    putPaidSource,
    makePutAcquisition(loadSources()),
    putExtra,
  ];
}

function runSteps(steps: readonly Step[], event: ReceivedEvent): Outcome {
  const draft = startDraft(event);
  try {
    for (const step of steps) {
      const parked = step(draft);
      if (parked !== undefined) return parked;
    }
  } catch (cause) {
    // This is a bug: the steps handle bad data as a value. The log is read in order, so throwing here would block every
    // later event for good. A parked event can be replayed once the bug is fixed.
    return park("enrich_failed", cause);
  }
  return { kind: "keep", row: draft.row };
}
