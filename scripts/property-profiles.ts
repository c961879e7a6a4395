/**
 * `npm run property:profiles -- [--engine duckdb|clickhouse] [--minutes n] [wallets] [seed]` compares profiles of wallets
 * with a computation over all their events, in every state of the partitions: 2,000 wallets by default, or as many as fit
 * into the minutes. A test compares ten.
 */
import { parseArgs } from "node:util";
import { compareProfiles, NOW_MS, type ProfileComparison } from "../test/query/compare-profiles.ts";
import { ENGINES } from "../test/support/both-engines.ts";
import { LONG_RUN } from "../test/support/chdb/start-host.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: "string", default: "duckdb" }, minutes: { type: "string", default: "1440" } },
});
const [wallets = 2_000, seed = Date.now() % 1_000_000] = positionals.map(Number);
const kind = ENGINES.find(({ name }) => name.toLowerCase() === values.engine);
if (kind === undefined) fail(`no engine ${values.engine}: duckdb or clickhouse`);
if (kind.skip !== false) fail(kind.skip);
process.env[LONG_RUN] = "1";

/** An emulated ClickHouse takes ten seconds for a statement of a partition. */
const SIZES = {
  DuckDB: { counted: "stored first", events: 500 },
  ClickHouse: {
    counted: "received first",
    events: 60,
    days: 4,
    states: ["all partitions dirty", "the first partitions clean", "after some late events", "the first days removed"],
  },
} as const satisfies Record<string, Omit<ProfileComparison, "seed">>;

process.stdout.write(`${kind.name}, seed ${seed}, ${wallets} wallets\n`);
const started = performance.now();
const untilMs = started + Number(values.minutes) * 60_000;
let compared = 0;
for (let set = 0; compared < wallets && performance.now() < untilMs; set += 1) {
  const { engine, stop } = await kind.start({ nowMs: () => NOW_MS });
  try {
    compared += await compareProfiles(engine, { seed: seed + set, ...SIZES[kind.name] });
  } finally {
    await stop();
  }
  process.stdout.write(`\r${compared} wallets, ${Math.round((performance.now() - started) / 1000)} s `);
}
process.stdout.write(
  `\n${compared} wallets, 0 differences${compared < wallets ? `: the time was over before ${wallets}` : ""}\n`,
);

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
