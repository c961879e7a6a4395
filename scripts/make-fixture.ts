/**
 * `node scripts/make-fixture.ts` creates a small data directory of this version with some of every kind of data. It
 * packs the directory into test/fixtures/data-v<version>/, together with the answers of the service. Run it once for
 * each release: every later version must be able to open it, and test/upgrade.test.ts checks that.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { packDirectory } from "../test/support/archive.ts";
import { DAYS, fillInstallation, knownEvents, readAnswers, sendEvents } from "../test/support/installation.ts";
import { hashMigrations } from "../test/support/migration-files.ts";
import { startProcess } from "../test/support/process.ts";
import { MAIN, makeDataDir, readCredentials, serviceEnv, startService } from "../test/support/service.ts";
import { waitFor } from "../test/support/wait.ts";
import { connectWarehouse, selectNumber } from "../test/support/warehouse.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const target = new URL(`../test/fixtures/data-v${version}/`, import.meta.url);
const { dir, remove } = makeDataDir();

/** Nothing listens on this port, so the two deliveries are still pending when the directory is opened again. */
const TARGET_URL = "http://127.0.0.1:9/hook";

const first = await startService(dir);
const keys = readCredentials(dir);
const place = { apiUrl: first.apiUrl, eventsUrl: first.eventsUrl, apiKey: keys.apiKey, writeKey: keys.writeKey };
const { formId } = await fillInstallation(place, TARGET_URL);
const kept = startProcess([MAIN, "projects", "retention", keys.projectId, "36500"], serviceEnv(dir));
if ((await kept.exited) !== 0) throw new Error(kept.stderr());
const engine = connectWarehouse(dir);
const countDays = () => selectNumber(engine, "SELECT count(DISTINCT day) AS n FROM rollups");
await waitFor("the days of spring to be materialized", async () => (await countDays()) === DAYS.length, 300_000);
const answers = await readAnswers(place, formId);
// These events are sent right before the stop: they are in the event log, and the next start has to store them.
await sendEvents(place, knownEvents().slice(0, 4));
await first.kill("SIGKILL");
const isGone = () =>
  engine.ping().then(
    () => false,
    () => true,
  );
await waitFor("the engine's process to end", isGone);
await engine.close();

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const packed = packDirectory(dir);
writeFileSync(new URL("data.json.zst", target), packed);
const facts = { formId, apiKey: keys.apiKey, writeKey: keys.writeKey, projectId: keys.projectId, answers };
writeFileSync(new URL("answers.json", target), `${JSON.stringify(facts, null, 2)}\n`);
writeFileSync(new URL("migrations.json", target), `${JSON.stringify(hashMigrations(), null, 2)}\n`);
process.stdout.write(`wrote ${packed.length} bytes\n`);
remove();
