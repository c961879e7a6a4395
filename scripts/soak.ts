/**
 * `npm run soak -- [minutes] [seed] [rounds a second]` runs events, reports, forms and webhooks on loopback, by default
 * for an hour with 20 rounds a second. Prints a line for each sample, then the growth of memory and descriptors in an
 * hour. Linux only.
 */
import { slopePerHour, soak, startLoaded } from "../test/reliability/soak.ts";

const [minutes = 60, seed = Date.now() % 1_000_000, perSecond = 20] = process.argv.slice(2).map(Number);
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`${minutes} minutes, seed ${seed}, at most ${perSecond} rounds a second`);
const loaded = await startLoaded();
try {
  const samples = await soak(loaded, {
    ...{ minutes, seed, perSecond },
    onSample: ({ minutes: at, service, engine }) =>
      say(`${at.toFixed(1)} min, service ${JSON.stringify(service)}, engine ${JSON.stringify(engine)}`),
  });
  for (const name of ["service", "engine"] as const)
    for (const what of ["rssMb", "descriptors"] as const)
      say(`${name} ${what}: ${slopePerHour(samples, (sample) => sample[name][what]).toFixed(1)} an hour`);
} finally {
  await loaded.stop();
}
