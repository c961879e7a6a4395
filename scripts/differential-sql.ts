/**
 * `npm run differential:sql -- [statements] [seed]` compares the answers of DuckDB and ClickHouse to random statements of
 * users: 20,000 by default. A test runs 500. It prints every difference that has no name, with the shortest statement.
 */
import { compareStatements, type Report, summarize } from "../test/engines/differential/compare.ts";

const [statements = 20_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
/** A common fault appears in many statements, and shrinking each takes seconds. */
const MOST_FAILURES = 25;

process.stdout.write(`seed ${seed}, ${statements} statements\n`);
const started = performance.now();
let printed = 0;
const report = await compareStatements({
  seed,
  statements,
  mostFailures: MOST_FAILURES,
  onProgress(done: number, { failures }: Report) {
    for (const failure of failures.slice(printed)) process.stdout.write(`\n${failure}\n`);
    printed = failures.length;
    if (done % 100 === 0)
      process.stdout.write(`\r${done} compared, ${Math.round((performance.now() - started) / 1000)} s `);
  },
});
process.stdout.write(`\n${summarize(report)}\n${report.failures.length} differences without a name\n`);
process.exitCode = report.failures.length === 0 ? 0 : 1;
