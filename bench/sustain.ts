/**
 * A long run against Sextant alone, watched from outside: what is stored, how old it is by then, memory and processor time.
 *
 * The writer never holds up acceptance, so a client that sends as fast as it is answered runs ahead of the warehouse for as long
 * as the log has room. The run for throughput therefore has a window: so many events may be sent and not yet stored. What
 * then passes is what the service can accept and store for good.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { BenchService } from "./bench-service.ts";
import type { Load, LoadResult } from "./load-messages.ts";
import type { LoadProcess } from "./load-process.ts";
import { freshnessBetween, type Scrape } from "./scrape.ts";
import { slope, type Weighted, weightedQuantile } from "./statistics.ts";
import { readUsage } from "./usage.ts";

/** A look costs the service about 1 ms; it makes the lag seem up to this much longer than it is. */
const LOOK_EVERY_MS = 200;

interface Look {
  readonly atMs: number;
  readonly stored: number;
  readonly rssMb: number;
  readonly serviceMb: number;
}

export interface Sustained {
  readonly load: LoadResult;
  /** All events of the run over the time until the last of them was stored. */
  readonly storedPerSecond: number;
  readonly fresh: { readonly p50: number; readonly p99: number };
  /** From the client's send to the stored counter, in seconds: measured without the service's own clock. */
  readonly lag: { readonly p50: number; readonly p99: number };
  readonly rss: {
    readonly peakMb: number;
    /** The service without its engine. */
    readonly servicePeakMb: number;
    readonly meanMb: number;
    readonly slopeMbPerMinute: number;
  };
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly retries: number;
}

export async function sustain(
  load: LoadProcess,
  sextant: BenchService,
  plan: Pick<Load, "form" | "connections" | "seconds" | "perSecond" | "window">,
): Promise<Sustained> {
  const before = await sextant.waitUntilStored();
  const cpuBefore = readUsage(sextant.pid).cpuSeconds;
  const startedAtMs = Date.now();
  const looks: Look[] = [];
  let running = true;

  async function watch(): Promise<Scrape> {
    for (;;) {
      const last = !running;
      const seen = await sextant.scrape();
      const { rssMb, ownRssMb: serviceMb } = readUsage(sextant.pid);
      looks.push({ atMs: Date.now(), stored: seen.stored - before.stored, rssMb, serviceMb });
      load.tellStored(seen.stored - before.stored);
      if (last && seen.stored + seen.parked >= seen.accepted) return seen;
      if (Date.now() - startedAtMs > plan.seconds * 1000 + DRAIN_WITHIN_MS) throw new Error("the log does not drain");
      await delay(LOOK_EVERY_MS);
    }
  }

  const run = { port: sextant.port, writeKey: sextant.credentials.writeKey, shape: "batch", ...plan } as const;
  const [result, after] = await Promise.all([
    load.run(run).finally(() => {
      running = false;
    }),
    watch(),
  ]);
  const seconds = ((looks.find((look) => look.stored >= result.okEvents)?.atMs ?? Date.now()) - startedAtMs) / 1000;
  const lags = lagsOf(result.sent, looks);
  return {
    load: result,
    storedPerSecond: (after.stored - before.stored) / seconds,
    fresh: { p50: freshnessBetween(before, after, 0.5), p99: freshnessBetween(before, after, 0.99) },
    lag: { p50: weightedQuantile(lags, 0.5), p99: weightedQuantile(lags, 0.99) },
    rss: describeRss(looks.filter((look) => look.atMs <= startedAtMs + plan.seconds * 1000)),
    cpuSeconds: readUsage(sextant.pid).cpuSeconds - cpuBefore,
    seconds,
    retries: after.retries - before.retries,
  };
}

const DRAIN_WITHIN_MS = 120_000;

/** The log is first in, first out: the n-th event sent is about the n-th stored. */
function lagsOf(sent: LoadResult["sent"], looks: readonly Look[]): Weighted[] {
  const lags: Weighted[] = [];
  let stored = 0;
  for (const look of looks) {
    // The oldest of what this look found new.
    const sentAt = sent.find(([, events]) => events > stored)?.[0];
    if (look.stored > stored && sentAt !== undefined)
      lags.push({ value: (look.atMs - sentAt) / 1000, weight: look.stored - stored });
    stored = look.stored;
  }
  return lags;
}

/** Memory first fills caches and buffers, so growth is looked for in the last two thirds. */
function describeRss(looks: readonly Look[]): Sustained["rss"] {
  const late = looks.slice(Math.floor(looks.length / 3));
  return {
    peakMb: Math.max(...looks.map((look) => look.rssMb)),
    servicePeakMb: Math.max(...looks.map((look) => look.serviceMb)),
    meanMb: late.reduce((sum, look) => sum + look.rssMb, 0) / late.length,
    slopeMbPerMinute: slope(late.map((look) => [look.atMs / 60_000, look.rssMb])),
  };
}
