/**
 * `npm run chaos:ingest -- [cycles] [seed]` kills (kill -9) the service, and then its engine child, many times under
 * load.
 */
import { runChaos } from "../test/support/chaos.ts";

const cycles = Number(process.argv[2] ?? 100);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
let failed = false;
for (const victim of ["service", "engine"] as const) {
  process.stdout.write(`victim ${victim}, ${cycles} cycles, seed ${seed}\n`);
  const result = await runChaos({ seed, cycles, victim, say: (line) => process.stdout.write(`${line}\n`) });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  const bad = result.lost + result.doubled + result.unexpected + result.miscounted;
  failed ||= bad > 0 || (victim === "engine" && result.rejected > 0);
}
process.exitCode = failed ? 1 : 0;
