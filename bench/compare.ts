import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { type Form, SHAPES, type Shape } from "./bodies.ts";
import type { LoadResult } from "./load-messages.ts";
import type { LoadProcess } from "./load-process.ts";
import type { Sextant } from "./sextant.ts";
import { median } from "./statistics.ts";

const TARGETS = ["bare", "parse", "sextant"] as const;
export type Target = (typeof TARGETS)[number];

export interface BareServer {
  readonly port: number;
  close(): void;
}

export async function startBare(kind: "bare" | "parse"): Promise<BareServer> {
  const child: ChildProcess = fork(join(import.meta.dirname, "bare-server.ts"), [kind]);
  const port = await new Promise<number>((resolve, reject) => {
    child.once("message", (message) => resolve(Number(message)));
    child.once("exit", () => reject(new Error("the bare server ended")));
  });
  return { port, close: () => void child.kill("SIGKILL") };
}

export interface Comparison {
  /** One result per round, at the same index for each target. */
  readonly results: Record<Target, LoadResult[]>;
}

export interface ComparePlan {
  readonly shape: Shape;
  readonly form: Form;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

/**
 * Runs the same load on each target in turn, several times, so that noise of the machine affects all of them. Events
 * that Sextant accepted are stored before the next target runs, so that its writer slows down only Sextant.
 */
export async function compare(
  plan: ComparePlan,
  load: LoadProcess,
  ports: Record<Target, number>,
  sextant: Sextant,
): Promise<Comparison> {
  const { shape, form, connections } = plan;
  const { writeKey } = sextant.credentials;
  const results: Comparison["results"] = { bare: [], parse: [], sextant: [] };
  for (let round = 0; round <= plan.rounds; round += 1) {
    for (const target of TARGETS) {
      const warmUp = round === 0;
      const seconds = warmUp ? Math.min(1.5, plan.seconds) : plan.seconds;
      const result = await load.run({ port: ports[target], writeKey, shape, form, connections, seconds });
      if (target === "sextant") await sextant.waitUntilStored();
      if (!warmUp) results[target].push(result);
    }
  }
  return { results };
}

/**
 * The median of the ratios per round, not the ratio of medians: both sides of a round ran under the same conditions.
 */
export function ratioOf({ results }: Comparison, a: Target, b: Target): number {
  return median(results[a].map((result, i) => result.okPerSecond / (results[b][i]?.okPerSecond ?? Number.NaN)));
}

export function describe({ results }: Comparison, shape: Shape): string[] {
  return TARGETS.map((target) => {
    const all = results[target];
    const requests = median(all.map((result) => result.okPerSecond));
    const failed = all.map((result) => JSON.stringify(result.failures)).filter((text) => text !== "{}");
    return [
      `  ${NAMES[target].padEnd(28)}`,
      `${Math.round(requests).toLocaleString("en").padStart(8)} req/s`,
      `${Math.round(requests * SHAPES[shape])
        .toLocaleString("en")
        .padStart(9)} events/s`,
      `p50 ${median(all.map((result) => result.p50Ms)).toFixed(1)} ms`,
      `p99 ${median(all.map((result) => result.p99Ms)).toFixed(1)} ms`,
      failed.length > 0 ? `FAILED ${failed.join(" ")}` : "",
    ].join("  ");
  });
}

const NAMES = {
  bare: "node:http, reads the body",
  parse: "node:http with JSON.parse",
  sextant: "Sextant, durable 200",
} as const;
