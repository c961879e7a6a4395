/**
 * `npm run property:query -- [queries] [seed]` compares reports, sessions and rollups with oracles: 10,000 queries by
 * default. `npm test` runs some hundreds.
 */
import { compareReports } from "../test/query/compare.ts";

const [queries = 10_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
process.stdout.write(`seed ${seed}, ${queries} queries\n`);
let asked = 0;
const started = performance.now();
const done = await compareReports({
  seed,
  queries,
  derived: true,
  onState(count) {
    asked += count;
    process.stdout.write(`\r${asked} asked, ${Math.round((performance.now() - started) / 1000)} s `);
  },
});
process.stdout.write(`\n${done} queries, 0 differences\n`);
