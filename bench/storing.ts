/**
 * `npm run bench:storing`: the processor time of storing an event, and its bytes on disk, with few visitors ("narrow":
 * 5,000, a batch touches each session several times) and with many ("wide": 200,000, nearly every event touches another
 * one). Processor time, because wall time depends on what else the machine does. `-- --against DIR` takes turns with
 * the code of another checkout and prints the ratio of the two.
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
  },
});

const checkouts = values.against === undefined ? [HERE] : [resolve(values.against), HERE];
const medians: number[] = [];
for (const [load, visitors] of Object.entries(LOADS)) {
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
    medians.push(median(times));
  }
}
printRatios();

async function runTurn(checkout: string, visitors: number): Promise<Turn> {
  const script = join(import.meta.dirname, "storing-turn.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script, checkout, String(visitors), values.events]);
  return JSON.parse(stdout) as Turn;
}

function printRatios(): void {
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN, fourth = Number.NaN] = medians;
  if (values.against === undefined) print(`wide against narrow: ${(second / first).toFixed(2)}`);
  else print(`here against there: narrow ${(second / first).toFixed(2)}, wide ${(fourth / third).toFixed(2)}`);
}
