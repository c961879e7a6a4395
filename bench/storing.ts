/**
 * `npm run bench:storing`: the processor time of storing an event, and its bytes on disk, with few visitors ("narrow":
 * 5,000, a batch touches each session several times) and with many ("wide": 200,000, nearly every event touches another
 * one). Processor time, because wall time depends on what else the machine does. `-- --against DIR` takes turns with
 * the code of another checkout and prints the ratio of the two. `-- --load wide --days 100000,500000,2000000` prints
 * what an event of one load costs on a day that has as many events already.
 */
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { print } from "./run-bench.ts";
import { median } from "./statistics.ts";
import type { Turn } from "./storing-turn.ts";

const LOADS = { narrow: 0, wide: 200_000 } as const;
const HERE = resolve(import.meta.dirname, "..");

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    events: { type: "string", default: "300000" },
    turns: { type: "string", default: "3" },
    load: { type: "string" },
    days: { type: "string" },
  },
});

const checkouts = values.against === undefined ? [HERE] : [resolve(values.against), HERE];
const days = values.days?.split(",").map(Number) ?? [];
/** A day is as large as it says during these: one batch alone has whatever the machine did beside it. */
const BATCHES_A_DAY = 5;
const medians: number[] = [];
for (const [load, visitors] of Object.entries(LOADS)) {
  if (values.load !== undefined && values.load !== load) continue;
  const turns = new Map(checkouts.map((checkout) => [checkout, [] as Turn[]]));
  for (let nth = 0; nth < Number(values.turns); nth += 1)
    for (const [checkout, own] of turns) own.push(await runTurn(checkout, visitors));
  for (const [checkout, own] of turns) {
    const times = own.map(({ storeUs }) => storeUs);
    const bytes = median(own.map((turn) => turn.bytes));
    const name = checkout === HERE ? "here" : "there";
    print(
      `${load}, ${name}: ${times.map((time) => time.toFixed(1)).join(", ")} us an event, ${bytes.toFixed(0)} bytes`,
    );
    for (const day of days) print(`  a day of ${day} events: ${usOnDay(own, day).toFixed(1)} us an event`);
    medians.push(median(times));
  }
}
printRatios();

async function runTurn(checkout: string, visitors: number): Promise<Turn> {
  const script = join(import.meta.dirname, "storing-turn.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    checkout,
    String(visitors),
    days.length > 0 ? String(Math.max(...days)) : values.events,
  ]);
  return JSON.parse(stdout) as Turn;
}

/** The median of the batches around that size, of all turns. */
function usOnDay(turns: readonly Turn[], day: number): number {
  const near = turns.flatMap(({ batches }) => {
    const nth = batches.findLastIndex(({ before }) => before <= day);
    const first = Math.max(0, Math.min(nth - Math.floor(BATCHES_A_DAY / 2), batches.length - BATCHES_A_DAY));
    return batches.slice(first, first + BATCHES_A_DAY);
  });
  return median(near.map(({ us }) => us));
}

function printRatios(): void {
  if (values.load !== undefined) {
    if (medians.length === 2) print(`here against there: ${((medians[1] ?? 0) / (medians[0] ?? 0)).toFixed(2)}`);
    return;
  }
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN, fourth = Number.NaN] = medians;
  if (values.against === undefined) print(`wide against narrow: ${(second / first).toFixed(2)}`);
  else print(`here against there: narrow ${(second / first).toFixed(2)}, wide ${(fourth / third).toFixed(2)}`);
}
