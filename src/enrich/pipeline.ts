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
import { makePutReferrer } from "./steps/referrer.ts";
import { putSession } from "./steps/session.ts";
import { putTimes } from "./steps/times.ts";
import { putTouch } from "./steps/touch.ts";
import { putWallet } from "./steps/wallet.ts";
import { parseUrl, registrableDomain } from "./url.ts";
import { loadWalletTokens, readAgent } from "./user-agent.ts";

/** Events repeat pages, hosts and user agents far more than they vary. Full, the caches took 10 MB; 23 with long addresses. */
const CACHED = { urls: 10_000, queries: 5_000, hosts: 10_000, agents: 10_000 } as const;

export type Enrich = (event: ReceivedEvent) => Outcome;

/** Reads the data files and starts with empty caches. One per process is enough: rows depend on nothing but the event. */
export function createEnrich(): Enrich {
  const steps = makeSteps();
  return (event) => runSteps(steps, event);
}

/** THE list. A step may read the columns that the steps above it have put. */
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
    // A bug, since bad data is a value to the steps. The log is read in order: throwing here would hold up every event
    // behind this one for good, while a parked event can be replayed once the bug is gone.
    return park("enrich_failed", cause);
  }
  return { kind: "keep", row: draft.row };
}
