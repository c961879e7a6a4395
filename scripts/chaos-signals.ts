/**
 * `npm run chaos:signals -- [cycles] [frozen seconds] [seed]` sends SIGTERM under load many times, then SIGSTOP and
 * SIGCONT. By default 10 cycles and 60 s, which is longer than the lease of a delivery (20 s) and an attempt (15 s).
 */
import { freezeDeliveries, freezeUnderLoad, stopUnderLoad } from "../test/reliability/signals.ts";

const [cycles = 10, seconds = 60, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`seed ${seed}`);
await stopUnderLoad({ seed, cycles, say });
const frozen = { seed, cycles: Math.max(1, Math.ceil(cycles / 5)), frozenMs: seconds * 1_000, say };
await freezeUnderLoad(frozen);
await freezeDeliveries(frozen);
say("nothing lost, nothing counted twice");
// The PostgreSQL package, which the delivery test brings along, would end it with 0 in any case.
process.exit(0);
