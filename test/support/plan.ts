/**
 * Which test files share a process, and which processes start first. A process of its own costs a file 0.8 s of CPU to
 * load the modules that its neighbours load too.
 */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

/** Tests of minutes. */
export const LONG = /\.long\.test\.ts$/;

/** Tests of pure functions are beside the sources: they start nothing and change nothing that another could see. */
const UNIT_DIR = "src/";

/** Folders whose files call functions and servers in their own process, one after the other in a single process. */
const SHARED = [
  "test/alerts",
  "test/contract",
  "test/boards",
  "test/control",
  "test/dashboard",
  "test/docs",
  "test/engines",
  "test/forms",
  "test/ingest",
  "test/live",
  "test/mail",
  "test/materialize",
  "test/query",
  "test/security",
  "test/service",
  "test/warehouse",
  "test/webhooks",
];

/** The same, but for their long files, which take minutes each. */
const SHARED_IF_SHORT = ["test/backup", "test/browser", "test/imports", "test/profiles", "test/providers"];

/** Files of those folders that need a process for themselves. */
const ALONE = [
  // Hooks outside of a suite would run for the tests of every file.
  "test/contract/errors.test.ts",
  "test/contract/events.test.ts",
  "test/ingest/log.test.ts",
  "test/ingest/log-faults.test.ts",
  "test/ingest/log-recover.test.ts",
  // They measure times or the memory of the process, or replace something of it.
  "test/contract/events-memory.test.ts",
  "test/contract/hostile-bodies.test.ts",
  "test/contract/rate-limit.test.ts",
  "test/engines/duckdb/failed-writes.test.ts",
  "test/engines/duckdb/limits.test.ts",
  "test/forms/poll.test.ts",
  "test/security/event-loop.long.test.ts",
  "test/security/long-urls.long.test.ts",
  "test/security/sql-attacks.test.ts",
  "test/webhooks/send.test.ts",
  "test/webhooks/ssrf.test.ts",
  // So long that the rest of their folder should not wait for them.
  "test/browser/dashboard.test.ts",
  "test/browser/rows.test.ts",
  "test/engines/clickhouse/reports.test.ts",
  "test/engines/clickhouse/sharded.test.ts",
  "test/ingest/pipeline.test.ts",
  "test/materialize/materialize.test.ts",
  "test/query/reports.test.ts",
];

/**
 * Half of the time of a run, and more: with all of them a short one took 9 to 13 minutes of its five. Not among them is what
 * no run should be without: accepting and storing, kill -9, a service that starts and stops, what others must not see, the
 * rows of pages. The dearest first, so that each share costs about the same.
 */
const COSTLY = [
  "test/engines/duckdb/running-days.test.ts",
  "test/browser/dashboard.test.ts",
  "test/reliability/api.test.ts",
  "test/query/reports.test.ts",
  "test/backup/engines.test.ts",
  "test/query/profiles.test.ts",
  "test/security/sql-attacks.test.ts",
  "test/materialize/materialize.test.ts",
  "test/browser/alerts.test.ts",
  "test/cluster/cluster.test.ts",
  "test/query/running-sessions.test.ts",
  "test/engines/duckdb/stuck-statements.test.ts",
  "test/alerts/evaluate.test.ts",
  "test/engines/duckdb/store-batch.test.ts",
  "test/browser/script.test.ts",
  "test/forms/long-lists.test.ts",
  "test/browser/schedules.test.ts",
  "test/browser/wallets.test.ts",
  "test/query/http.test.ts",
  "test/imports/formats.test.ts",
  "test/browser/import.test.ts",
  "test/query/sql.test.ts",
  "test/security/sql-statistics.test.ts",
  "test/query/activity.test.ts",
  "test/warehouse/replay.test.ts",
  "test/engines/differential.test.ts",
  "test/materialize/sessions.test.ts",
  "test/forms/poll.test.ts",
  "test/query/kept-days.test.ts",
  "test/imports/uploads.test.ts",
  "test/materialize/groups.test.ts",
  "test/docs/quick-start.test.ts",
  "test/boards/charts.test.ts",
  "test/warehouse/rebuild.test.ts",
  "test/engines/duckdb/row-groups.test.ts",
  "test/control/leases.test.ts",
  "test/query/zones.test.ts",
  "test/warehouse/retention.test.ts",
  "test/materialize/beside.test.ts",
  "test/contract/webhooks.test.ts",
  "test/engines/clickhouse/reports.test.ts",
  "test/browser/forms.test.ts",
  "test/imports/reader-process.test.ts",
  "test/engines/duckdb/known-keys.test.ts",
  "test/engines/duckdb/kept-profiles.test.ts",
  "test/doctor/doctor.test.ts",
  "test/browser/boards.test.ts",
  "test/examples/examples.test.ts",
  "test/alerts/metric-sources.test.ts",
  "test/alerts/evaluate-metric.test.ts",
  "test/backup/control-tables.test.ts",
  "test/contract/rate-limit.test.ts",
  "test/engines/user-differences.test.ts",
  "test/control/tasks.test.ts",
  "test/query/kept-answers.test.ts",
  "test/query/live.test.ts",
  "test/browser/connect.test.ts",
  "test/engines/duckdb/limits.test.ts",
  "test/query/segments.test.ts",
  "test/engines/clickhouse/user-sql.test.ts",
  "test/boards/engines.test.ts",
  "test/engines/user-aliases.test.ts",
  "test/crash/alerts.test.ts",
  "test/engines/clickhouse/sharded.test.ts",
  "test/engines/user-functions.test.ts",
  "test/docs/sql.test.ts",
  "test/engines/duckdb/metadata-copy.test.ts",
  "test/warehouse/ledger.test.ts",
  "test/forms/fuzz.test.ts",
  "test/ingest/fuzz.test.ts",
  "test/query/clickhouse.test.ts",
  "test/crash/import.test.ts",
  "test/engines/clickhouse/engine.test.ts",
  "test/docs/observability.test.ts",
  "test/webhooks/worker.test.ts",
  "test/browser/sdk.test.ts",
  "test/upgrade.test.ts",
  "test/security/shared-links.test.ts",
  "test/warehouse/writer-restart.test.ts",
  "test/mail/schedules.test.ts",
  "test/service/packed-package.test.ts",
  "test/live/service.test.ts",
  "test/contract/hostile-bodies.test.ts",
  "test/profiles/wallet-rows.test.ts",
  "test/contract/sign-in.test.ts",
  "test/live/stream.test.ts",
  "test/mail/service.test.ts",
];

/** Of the costly files a short run takes one of so many, which the seed draws; a long one takes all. */
const ONE_OF = 8;

/** What a short run does not take of these files. */
export function leftToLong(files: readonly string[], seed: number): string[] {
  // The last digits of the seed draw stores and cases: the same file should meet others of them.
  const draw = Math.floor(seed / 1000);
  return files.filter((file) => COSTLY.includes(file) && (COSTLY.indexOf(file) + draw) % ONE_OF !== 0);
}

export function isCostly(file: string): boolean {
  return COSTLY.includes(file);
}

/** They hold times against bounds: a long run has them before the others, one at a time. */
export const TIMED = [
  "test/crash/engine.long.test.ts",
  "test/reliability/descriptors.long.test.ts",
  "test/reliability/large-start.long.test.ts",
  "test/security/event-loop.long.test.ts",
  "test/security/long-urls.long.test.ts",
];

/** The longest first: a long process that starts last has the machine to itself while the other cores wait. */
const LONGEST = [
  // Their ClickHouse may run one statement at a time: it should have something to do from the start.
  "test/engines/clickhouse/reports.test.ts",
  "test/browser/rows.test.ts",
  "test/browser",
  "test/browser/dashboard.test.ts",
  "test/backup/backup.long.test.ts",
  "test/cluster/cluster.test.ts",
  "test/query/profiles.test.ts",
  "test/engines/differential.test.ts",
  "test/contract",
  "test/query/reports.test.ts",
  "test/crash/ingest.test.ts",
  "test/query",
  "test/engines",
  "test/engines/clickhouse/sharded.test.ts",
  "test/service.test.ts",
  "test/warehouse",
  "test/cli.test.ts",
  "test/reliability/api.test.ts",
  "test/ingest/pipeline.test.ts",
  "test/reliability/signals.long.test.ts",
  "test/crash/webhooks.long.test.ts",
  "test/materialize/materialize.test.ts",
  "test/webhooks",
  "test/security",
  "test/contract/hostile-bodies.test.ts",
  "test/demo/demo.long.test.ts",
];

/** The imports by which a test file starts ClickHouse. */
const STARTS_CLICKHOUSE =
  /from "[./]*\/(?:support\/)?(?:clickhouse|clickhouse-engine|user-engines|both-engines|sharded-clickhouse|cluster|differential\/compare)\.ts"/;

/** The process of all files of shared folders that start it in a short run. */
const WITH_CLICKHOUSE = "ClickHouse";

/** Those that start it in a long run alone. */
const ONLY_IN_LONG = /\bBOTH_IN_LONG\b/;

export interface TestProcess {
  /** Relative to the root. */
  readonly files: readonly string[];
  /** Where it is emulated there is one, which runs one statement at a time: these processes wait for each other. */
  readonly usesClickHouse: boolean;
}

/** In the order in which the processes start. */
export function planProcesses(files: readonly string[], { isLong }: { isLong: boolean }): TestProcess[] {
  const gone = [...SHARED, ...SHARED_IF_SHORT, ...ALONE, ...COSTLY, ...TIMED, ...LONGEST].find(
    (path) => !existsSync(resolve(ROOT, path)),
  );
  if (gone !== undefined) throw new Error(`test/support/plan.ts names ${gone}, which is not there`);
  const processes = new Map<string, { name: string; files: string[]; usesClickHouse: boolean }>();
  for (const file of files) {
    const text = readFileSync(resolve(ROOT, file), "utf8");
    const usesClickHouse = STARTS_CLICKHOUSE.test(text) && (isLong || !ONLY_IN_LONG.test(text));
    const own = processOf(file);
    // They wait for each other anyway. In a long run each of them takes minutes: alone they fill two servers evenly.
    const name = !usesClickHouse || own === file ? own : isLong ? file : WITH_CLICKHOUSE;
    const key = `${name} ${usesClickHouse}`;
    const known = processes.get(key) ?? { name, files: [], usesClickHouse };
    known.files.push(file);
    processes.set(key, known);
  }
  // What a cut leaves out of a long run is what only long runs are for.
  const costlyFirst = (one: string, other: string) => Number(isCostly(other)) - Number(isCostly(one));
  for (const planned of processes.values()) planned.files.sort(costlyFirst);
  const rank = ({ name, files: [first = ""] }: TestProcess & { name: string }) =>
    LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length + (isCostly(first) ? 0 : 1);
  return [...processes.values()].sort((one, other) => rank(one) - rank(other));
}

function processOf(file: string): string {
  if (file.startsWith(UNIT_DIR)) return UNIT_DIR;
  if (ALONE.includes(file)) return file;
  const folders = LONG.test(file) ? SHARED : [...SHARED, ...SHARED_IF_SHORT];
  return folders.find((folder) => file.startsWith(`${folder}/`)) ?? file;
}
