/**
 * A long run against Sextant alone, measured from outside: stored events, their age, memory and processor time.
 *
 * The writer never delays acceptance, so that a client that sends as fast as it is answered gets ahead of the warehouse
 * until the log is full. The throughput run therefore has a window: a maximum of events that are sent and not yet
 * stored. It measures the rate that the service can accept and store permanently.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { BenchService } from "./bench-service.ts";
import type { Load, LoadResult } from "./load-messages.ts";
import type { LoadProcess } from "./load-process.ts";
import { freshnessBetween, type Scrape } from "./scrape.ts";
import { slope, type Weighted, weightedQuantile } from "./statistics.ts";
import { readUsage } from "./usage.ts";

/** A sample costs the service about 1 ms. It makes the lag appear up to this much longer. */
const SAMPLE_EVERY_MS = 200;

interface Sample {
  readonly atMs: number;
  readonly stored: number;
  readonly rssMb: number;
  readonly serviceMb: number;
}

export interface Sustained {
  readonly load: LoadResult;
  /** All events of the run, divided by the time until the last one was stored. */
  readonly storedPerSecond: number;
  readonly fresh: { readonly p50: number; readonly p99: number };
  /** Seconds from the client's send to the stored counter: independent of the service's clock. */
  readonly lag: { readonly p50: number; readonly p99: number };
  readonly rss: {
    readonly peakMb: number;
    /** The service without its engine. */
    readonly servicePeakMb: number;
    readonly meanMb: number;
    readonly slopeMbPerMinute: number;
  };
  readonly cpuSeconds: number;
  /** The engine's part of it. */
  readonly engineSeconds: number;
  readonly seconds: number;
  readonly retries: number;
}

export async function sustain(
  load: LoadProcess,
  sextant: BenchService,
  plan: Pick<Load, "form" | "connections" | "seconds" | "perSecond" | "window" | "visitors">,
): Promise<Sustained> {
  const before = await sextant.waitUntilStored();
  const usedBefore = readUsage(sextant.pid);
  const startedAtMs = Date.now();
  const samples: Sample[] = [];
  let running = true;

  async function watch(): Promise<Scrape> {
    for (;;) {
      const last = !running;
      const seen = await sextant.scrape();
      const { rssMb, ownRssMb: serviceMb } = readUsage(sextant.pid);
      samples.push({ atMs: Date.now(), stored: seen.stored - before.stored, rssMb, serviceMb });
      load.reportStored(seen.stored - before.stored);
      if (last && seen.stored + seen.parked >= seen.accepted) return seen;
      if (Date.now() - startedAtMs > plan.seconds * 1000 + DRAIN_WITHIN_MS) throw new Error("the log does not drain");
      await delay(SAMPLE_EVERY_MS);
    }
  }

  const run = { port: sextant.port, writeKey: sextant.credentials.writeKey, shape: "batch", ...plan } as const;
  const [result, after] = await Promise.all([
    load.run(run).finally(() => {
      running = false;
    }),
    watch(),
  ]);
  const seconds =
    ((samples.find((sample) => sample.stored >= result.okEvents)?.atMs ?? Date.now()) - startedAtMs) / 1000;
  const lags = lagsOf(result.sent, samples);
  const used = readUsage(sextant.pid);
  return {
    load: result,
    storedPerSecond: (after.stored - before.stored) / seconds,
    fresh: { p50: freshnessBetween(before, after, 0.5), p99: freshnessBetween(before, after, 0.99) },
    lag: { p50: weightedQuantile(lags, 0.5), p99: weightedQuantile(lags, 0.99) },
    rss: describeRss(samples.filter((sample) => sample.atMs <= startedAtMs + plan.seconds * 1000)),
    cpuSeconds: used.cpuSeconds - usedBefore.cpuSeconds,
    engineSeconds: used.engineSeconds - usedBefore.engineSeconds,
    seconds,
    retries: after.retries - before.retries,
  };
}

const DRAIN_WITHIN_MS = 120_000;

/** The log is first in, first out: the n-th event sent is about the n-th stored. */
function lagsOf(sent: LoadResult["sent"], samples: readonly Sample[]): Weighted[] {
  const lags: Weighted[] = [];
  let stored = 0;
  for (const sample of samples) {
    // The oldest event that is new in this sample.
    const sentAt = sent.find(([, events]) => events > stored)?.[0];
    if (sample.stored > stored && sentAt !== undefined)
      lags.push({ value: (sample.atMs - sentAt) / 1000, weight: sample.stored - stored });
    stored = sample.stored;
  }
  return lags;
}

/** Caches and buffers fill first, so that growth is measured over the last two thirds. */
function describeRss(samples: readonly Sample[]): Sustained["rss"] {
  const late = samples.slice(Math.floor(samples.length / 3));
  return {
    peakMb: Math.max(...samples.map((sample) => sample.rssMb)),
    servicePeakMb: Math.max(...samples.map((sample) => sample.serviceMb)),
    meanMb: late.reduce((sum, sample) => sum + sample.rssMb, 0) / late.length,
    slopeMbPerMinute: slope(late.map((sample) => [sample.atMs / 60_000, sample.rssMb])),
  };
}
