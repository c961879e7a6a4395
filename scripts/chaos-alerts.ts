/** `npm run chaos:alerts -- --cycles 100 --seed 7` kills (kill -9) a service whose alerts fire, many times. */
import { parseArgs } from "node:util";
import { assertToldOnce, runAlertChaos } from "../test/support/chaos-alerts.ts";

const { values } = parseArgs({
  options: { cycles: { type: "string", default: "100" }, seed: { type: "string", default: "1" } },
});
const [cycles, seed] = [Number(values.cycles), Number(values.seed)];
process.stdout.write(`${cycles} cycles, seed ${seed}\n`);
const result = await runAlertChaos({ seed, cycles, say: (line) => process.stdout.write(`${line}\n`) });
process.stdout.write(`${JSON.stringify(result)}\n`);
assertToldOnce(result);
