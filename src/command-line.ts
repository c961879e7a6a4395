import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { runCli } from "./cli/cli.ts";
import { type Config, ConfigError, readConfig } from "./installation/config.ts";
import { dataPaths, findRunning } from "./installation/data-dir.ts";
import { systemClock } from "./lib/clock.ts";
import { openEvents } from "./open-events.ts";

/** `npm start` runs `serve`, `npx sextant ...` runs any command. */
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

async function main(): Promise<number> {
  // Each command reads the settings when it needs them: help needs none, and the doctor reports their errors.
  const config = () => readConfig(process.env);
  // Loaded on demand: a start of the service first starts its engine.
  const installation = async () => (await import("./installation/installation.ts")).createInstallation(config());
  return runCli(process.argv.slice(2), {
    version,
    clock: systemClock,
    open: async () => (await installation()).openControl("refused"),
    openEvents: async () => openEvents(await installation()),
    async backup(options) {
      const { backup } = await import("./backup/run.ts");
      return backup(await installation(), version, options);
    },
    async restore(options) {
      const { restore } = await import("./backup/run.ts");
      return restore(await installation(), options);
    },
    async examine() {
      const { examine } = await import("./doctor/run.ts");
      return examine(installation);
    },
    async sendTestMail(address) {
      const { sendTestMail } = await import("./mail/send-test.ts");
      const { SMTP_URL, MAIL_FROM } = config();
      return sendTestMail(SMTP_URL && { ...SMTP_URL, from: MAIL_FROM }, address);
    },
    apiUrl: () => publicUrl(config()),
    eventsUrl: () => findRunning(dataPaths(config().DATA_DIR))?.eventsUrl || config().PUBLIC_EVENTS_URL || undefined,
    serve: async () => serve(config()),
    readStdin: () => text(process.stdin),
    out: (line) => process.stdout.write(line),
    err: (line) => process.stderr.write(line),
  });
}

function publicUrl(config: Config): string {
  return config.PUBLIC_API_URL || runningUrl(config) || `http://${config.HOST}:${config.API_PORT}`;
}

/** Loaded only on demand, so that a CLI command starts without the code of the servers. */
async function serve(config: Config): Promise<void> {
  // A first start on a busy machine takes ten seconds and more.
  if (process.stdout.isTTY) process.stdout.write(`Sextant ${version} starts ...\n`);
  const { runService } = await import("./service/start.ts");
  await runService(config, version);
}

/** The API address of a service that runs on the same data directory: its port may be any free one. */
function runningUrl(config: Config): string | undefined {
  return findRunning(dataPaths(config.DATA_DIR))?.apiUrl;
}

/** An expected failure is one line and exit code 1. Only a bug prints a stack. */
function report(cause: unknown): void {
  const expected = cause instanceof ConfigError || (cause instanceof Error && EXPECTED.has(cause.name));
  const lines = expected
    ? (cause as Error).message.split("\n")
    : [cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)];
  for (const line of lines) process.stderr.write(`sextant: ${line}\n`);
}

const EXPECTED = new Set([
  "BackupError",
  "ControlOpenError",
  "CursorError",
  "DataDirError",
  "EngineStartError",
  "EngineDown",
  "EngineBusy",
  "LogCorrupt",
  "StartError",
  "WarehouseMismatch",
]);

main().then(
  (code) => {
    process.exitCode = code;
  },
  (cause: unknown) => {
    report(cause);
    // Not exitCode: a start that failed halfway may leave handles that keep the event loop alive.
    process.exit(1);
  },
);
