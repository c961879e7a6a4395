/**
 * `npm run chaos:ingest -- [cycles] [seed] [service|engine]` kills (kill -9) the service, and then its engine child,
 * many times under load. The third argument selects one of the two.
 */
import { runChaos } from "../test/support/chaos.ts";

const cycles = Number(process.argv[2] ?? 100);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const victims = (["service", "engine"] as const).filter((victim) => (process.argv[4] ?? victim) === victim);
let failed = false;
for (const victim of victims) {
  process.stdout.write(`victim ${victim}, ${cycles} cycles, seed ${seed}\n`);
  const result = await runChaos({ seed, cycles, victim, say: (line) => process.stdout.write(`${line}\n`) });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  const bad = result.lost + result.doubled + result.unexpected + result.miscounted;
  failed ||= bad > 0 || (victim === "engine" && result.rejected > 0);
}
process.exitCode = failed ? 1 : 0;
