/**
 * `npm run property:query -- [--engine duckdb|clickhouse] [--sharded] [--report name] [--timezones] [--minutes n] [queries] [seed]`
 * compares reports, sessions and rollups with oracles: 10,000 queries by default, or as many as fit into the minutes.
 * `npm test` runs some hundreds. `--timezones` asks about the days of several zones, around changes of clocks. `--report`, once or more, asks for these reports alone. ClickHouse is the one of the tests
 * (CONTRIBUTING.md); `--sharded` gives it the tables of a cluster.
 */
import { parseArgs } from "node:util";
import type { ReportName } from "../src/contract/reports.ts";
import { CHANGES, type Comparison, compareReports, reportsWithOracle, ZONES } from "../test/query/compare.ts";
import { LONG_RUN } from "../test/support/chdb/start-host.ts";
import { startClickhouseEngine } from "../test/support/clickhouse-engine.ts";
import { whyNoClickHouse } from "../test/support/platform.ts";
import { startShardedClickhouse } from "../test/support/sharded-clickhouse.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: "string", default: "duckdb" },
    sharded: { type: "boolean", default: false },
    report: { type: "string", multiple: true },
    timezones: { type: "boolean", default: false },
    minutes: { type: "string", default: "1440" },
  },
});
const [queries = 10_000, seed = Date.now() % 1_000_000] = positionals.map(Number);
const engine = values.sharded ? "sharded" : values.engine;

/** An emulated ClickHouse takes a second for a question, and five to materialize a partition. */
const SMALL = {
  counted: "received first",
  queriesPerState: 12,
  isFreshForSet: true,
  projectsPerSet: 2,
  eventsPerSet: 200,
  dates: ["2026-03-01", "2026-03-03", "2026-03-05"],
} as const;
const ENGINES: Readonly<Record<string, Partial<Comparison>>> = {
  duckdb: { derived: true },
  clickhouse: { ...SMALL, derived: true, open: startClickhouseEngine },
  sharded: { ...SMALL, derived: true, open: ({ nowMs }) => startShardedClickhouse(nowMs) },
};

process.env[LONG_RUN] = "1";
const options = ENGINES[engine];
if (options === undefined) fail(`no engine ${engine}: duckdb, clickhouse or sharded`);
const whyNot = engine === "duckdb" ? undefined : whyNoClickHouse();
if (whyNot !== undefined) fail(whyNot);
const unknown = values.report?.filter((name) => !reportsWithOracle(200).has(name as ReportName)) ?? [];
if (unknown.length > 0) fail(`no oracle answers ${unknown.join(", ")}`);
process.stdout.write(`${engine}, seed ${seed}, ${queries} queries\n`);
let asked = 0;
const started = performance.now();
const untilMs = started + Number(values.minutes) * 60_000;
const done = await compareReports({
  ...options,
  ...(values.timezones ? { zones: ZONES, calendars: CHANGES } : {}),
  ...(values.report === undefined ? {} : { reports: values.report, derived: [] }),
  seed,
  queries,
  hasTime: () => performance.now() < untilMs,
  onState(count) {
    asked += count;
    process.stdout.write(`\r${asked} asked, ${Math.round((performance.now() - started) / 1000)} s `);
  },
});
process.stdout.write(
  `\n${done} queries, 0 differences${done < queries ? `: the time was over before ${queries}` : ""}\n`,
);
if (done === 0) fail("no query fitted into the time");

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
