/**
 * `npm run test:long` runs what is too long for `npm test`, one after the other, and stops at the first failure. Each run
 * prints its seed: repeat the printed command with it.
 */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { SEED } from "../src/lib/testing.ts";

const RUNS: readonly (readonly string[])[] = [
  ["property-query.ts", "10000"],
  ["property-query.ts", "--engine", "clickhouse", "2000"],
  ["property-query.ts", "--engine", "clickhouse", "--sharded", "200"],
];

for (const [script = "", ...options] of RUNS) {
  const args = [`scripts/${script}`, ...options, String(SEED)];
  process.stdout.write(`\nnode ${args.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, args, { cwd: resolve(import.meta.dirname, ".."), stdio: "inherit" });
  if (status !== 0) {
    process.stderr.write(`failed with seed ${SEED}: node ${args.join(" ")}\n`);
    process.exit(1);
  }
}
process.stdout.write(`\n${RUNS.length} long runs passed with seed ${SEED}\n`);
