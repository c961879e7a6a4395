/**
 * `npm run test:generated -- [--minutes n]` asks generated questions of all engines, one run after the other, and stops at
 * the first failure. With minutes, each run has its share of them and says how far it came. Each prints its seed: repeat
 * the printed command with it.
 */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { SEED } from "../src/lib/testing.ts";
import { whyNoClickHouse } from "../test/support/platform.ts";

interface Run {
  readonly script: string;
  readonly options: readonly string[];
  /** Of the minutes of all generated runs. */
  readonly share: number;
}

const { values } = parseArgs({ options: { minutes: { type: "string" } } });
const whyNot = whyNoClickHouse();
const GENERATED: readonly Run[] = [
  { script: "scripts/property-query.ts", options: ["10000"], share: 0.3 },
  ...(whyNot === undefined
    ? [
        { script: "scripts/property-query.ts", options: ["--engine", "clickhouse", "2000"], share: 0.45 },
        { script: "scripts/property-query.ts", options: ["--sharded", "200"], share: 0.25 },
      ]
    : []),
];

if (whyNot !== undefined) process.stdout.write(`not run: questions to ClickHouse: ${whyNot}\n`);
for (const { script, options, share } of GENERATED) {
  const limit = values.minutes === undefined ? [] : ["--minutes", String(Number(values.minutes) * share)];
  run([script, ...limit, ...options, String(SEED)]);
}
process.stdout.write(`\nall generated runs passed with seed ${SEED}\n`);

function run(args: readonly string[]): void {
  process.stdout.write(`\nnode ${args.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, args, { cwd: resolve(import.meta.dirname, ".."), stdio: "inherit" });
  if (status === 0) return;
  process.stderr.write(`failed with seed ${SEED}: node ${args.join(" ")}\n`);
  process.exit(1);
}
