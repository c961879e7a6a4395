/**
 * `npm run chaos:power -- --cuts 200 --seconds 30 --seed N` records every change of a file that a service under load
 * makes (Linux, with strace), and starts the service again on what a disk may hold after a loss of power at that many
 * random steps: it always opens, and every event and form that was acknowledged before is there once.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { drawCuts, tryCuts } from "../test/reliability/power/cut.ts";
import { record } from "../test/reliability/power/record.ts";
import { seeded } from "../test/support/chaos.ts";
import { makeDataDir } from "../test/support/service.ts";

const { values } = parseArgs({
  options: {
    cuts: { type: "string", default: "200" },
    seconds: { type: "string", default: "30" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const random = seeded(Number(values.seed));
const { dir, remove } = makeDataDir();
const print = (line: string) => process.stdout.write(`${line}\n`);
let failed = 0;
try {
  print(`seed ${values.seed}`);
  const recorded = await record(dir, join(dir, "..", "trace"), Number(values.seconds), random);
  const { steps, events, forms } = recorded;
  const count = (kind: string) => steps.filter((step) => step.kind === kind).length;
  print(`${steps.length} steps, ${count("write")} writes and ${count("sync")} syncs among them`);
  print(`${events.size} events and ${forms.size} forms acknowledged`);
  const cuts = drawCuts(recorded, Number(values.cuts), random);
  let done = 0;
  await tryCuts(dir, recorded, cuts, random, (result, nth, { kind, path }) => {
    done += 1;
    const { acknowledged, ...bad } = result;
    const isBad = Object.values(bad).some((n) => n !== 0);
    if (isBad) failed += 1;
    const place = `after step ${nth}, ${kind} of ${path.slice(dir.length + 1)}`;
    print(`cut ${done} ${place}: ${acknowledged} acknowledged${isBad ? `, ${JSON.stringify(bad)}` : ""}`);
  });
  print(failed === 0 ? `${cuts.length} cuts: always opened, 0 lost, 0 doubled` : `${failed} cuts failed`);
} finally {
  remove();
}
process.exitCode = failed === 0 ? 0 : 1;
