/**
 * `npm run chaos:webhooks -- [cycles] [seed]` kills (kill -9) between acceptance and delivery, many times, on both
 * stores.
 */
import { assertNothingLost, runDeliveryChaos } from "../test/support/chaos-webhooks.ts";

const cycles = Number(process.argv[2] ?? 100);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
let failed = false;
for (const backend of ["sqlite", "postgres"] as const) {
  process.stdout.write(`${backend}, ${cycles} cycles, seed ${seed}\n`);
  const result = await runDeliveryChaos({ backend, seed, cycles, say: (line) => process.stdout.write(`${line}\n`) });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  try {
    assertNothingLost(result);
  } catch (cause) {
    process.stdout.write(`${(cause as Error).message}\n`);
    failed = true;
  }
}
// process.exit, because the PostgreSQL package overrides process.exitCode with 0 when the event loop is empty.
process.exit(failed ? 1 : 0);
