/**
 * `npm run chaos:cluster -- [cycles] [seed]` runs two ingest nodes, two API nodes and two workers under load. Each
 * cycle kills (kill -9) or stops (SIGTERM) a random node and starts it again. Prints what was lost.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createRandom } from "../test/query/generate.ts";
import { startCluster } from "../test/support/cluster.ts";
import { startLoad } from "../test/support/cluster-load.ts";
import { waitFor } from "../test/support/wait.ts";

const cycles = Number(process.argv[2] ?? 50);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const say = (line: string) => process.stdout.write(`${line}\n`);

const random = createRandom(seed);
say(`${cycles} cycles, seed ${seed}`);
const cluster = await startCluster();
let kills = 0;
let failed = true;
try {
  const load = await startLoad(cluster, "chaos");
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const before = load.acknowledged();
    await waitFor("a request to be acknowledged", () => load.acknowledged() > before, 60_000);
    await delay(random.int(500));
    const node = random.pick(cluster.all);
    const signal = random.chance(0.7) ? "SIGKILL" : "SIGTERM";
    if (signal === "SIGKILL") kills += 1;
    await node.restart(signal);
    say(`cycle ${cycle} of ${cycles}: ${signal} to ${node.name}, ${load.errors.length} requests without a response`);
  }
  const result = await load.finish();
  for (const error of load.errors) say(`no response: ${error}`);
  say(JSON.stringify({ ...result, kills, unanswered: load.errors.length }));
  const { lostEvents, doubledEvents, lostSubmissions, lostDeliveries, repeatedDeliveries } = result;
  failed =
    lostEvents + doubledEvents + lostSubmissions + lostDeliveries + load.errors.length > 0 ||
    (kills === 0 && repeatedDeliveries > 0);
} finally {
  await cluster.stop();
}
// process.exit, because the PostgreSQL package overrides process.exitCode with 0 when the event loop is empty.
process.exit(failed ? 1 : 0);
