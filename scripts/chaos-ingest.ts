/**
 * `npm run chaos:ingest -- [cycles] [seed] [service|engine|both] [rest ms]` kills (kill -9) the service, and then its
 * engine child, many times under load. The third argument selects one of the two; with the last one each sender rests
 * so long after a batch, where the machine has other work.
 */
import { runChaos } from "../test/support/chaos.ts";

const cycles = Number(process.argv[2] ?? 100);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const victims = (["service", "engine"] as const).filter((victim) =>
  [victim, "both"].includes(process.argv[4] ?? victim),
);
const rest = process.argv[5] === undefined ? {} : { restMs: Number(process.argv[5]) };
let failed = false;
for (const victim of victims) {
  process.stdout.write(`victim ${victim}, ${cycles} cycles, seed ${seed}\n`);
  const result = await runChaos({ seed, cycles, victim, ...rest, say: (line) => process.stdout.write(`${line}\n`) });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  const bad = result.lost + result.doubled + result.unexpected + result.miscounted;
  failed ||= bad > 0 || (victim === "engine" && result.rejected > 0);
}
process.exitCode = failed ? 1 : 0;
