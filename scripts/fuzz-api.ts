/** `npm run fuzz:api -- [requests] [seed]` sends generated requests (default: 10,000) to all routes; a test fewer. */
import { fuzzApi } from "../test/reliability/fuzz-api.ts";

const [requests = 10_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
process.stdout.write(`seed ${seed}, ${requests} requests\n`);
const { sent } = await fuzzApi({ requests, seed, say: (line) => process.stdout.write(`${line}\n`) });
process.stdout.write(`${sent} requests, every answer as documented\n`);
