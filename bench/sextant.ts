import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connectAnalytics } from "../src/engines/analytics.ts";
import { dataPaths } from "../src/engines/data-dir.ts";
import { startEmbeddedEngine } from "../src/engines/embedded/supervisor.ts";
import { startProcess } from "../test/support/process.ts";
import { MAIN, readCredentials, serviceEnv } from "../test/support/service.ts";
import { type Scrape, scrape } from "./scrape.ts";

/** The whole service as its own process, with a directory of its own. */
export interface Sextant {
  readonly pid: number;
  readonly port: number;
  readonly writeKey: string;
  scrape(): Promise<Scrape>;
  /** Resolves when the writer has come to the end of the log. */
  waitUntilStored(): Promise<Scrape>;
  /** Ends the service, then asks an engine on its directory how many events there are. */
  stopAndCount(): Promise<{ rows: number; distinct: number }>;
}

const SETTINGS = {
  SEXTANT_EVENTS_RATE_PER_SECOND: "1000000",
  SEXTANT_EVENTS_RATE_BURST: "10000000",
  SEXTANT_LOG_LEVEL: "warn",
} as const;
const POLL_MS = 100;
/** A writer that stores nothing for so long has stopped. */
const STALLED_MS = 30_000;

/** `onStart` gets what ends and removes it before it is ready: a bench that is interrupted by then leaves nothing either. */
export async function startSextant(onStart: (remove: () => Promise<void>) => void): Promise<Sextant> {
  const root = mkdtempSync(join(tmpdir(), "sextant-bench-"));
  const dataDir = join(root, "data");
  const service = startProcess([MAIN, "serve"], serviceEnv(dataDir, SETTINGS));
  onStart(async () => {
    if (service.child.exitCode === null && service.child.signalCode === null) await service.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  await service.waitForLine(/is ready\.[\s\S]*\n\n/);
  const opsUrl = /^ +Operations +(http:\/\/\S+?)\/readyz$/m.exec(service.stdout())?.[1] ?? "";
  const { eventsUrl, writeKey } = readCredentials(dataDir);
  return {
    pid: service.child.pid ?? 0,
    port: Number(new URL(eventsUrl).port),
    writeKey,
    scrape: () => scrape(opsUrl),
    async waitUntilStored() {
      let stored = -1;
      for (let movedAt = performance.now(); performance.now() - movedAt < STALLED_MS; await delay(POLL_MS)) {
        const now = await scrape(opsUrl);
        if (now.stored + now.parked >= now.accepted) return now;
        if (now.stored !== stored) movedAt = performance.now();
        stored = now.stored;
      }
      throw new Error(`the writer stored nothing for ${STALLED_MS / 1000} s: ${service.stderr().slice(-2_000)}`);
    },
    async stopAndCount() {
      await service.kill("SIGTERM");
      return countRows(dataPaths(dataDir).engine);
    },
  };
}

async function countRows(dir: string): Promise<{ rows: number; distinct: number }> {
  const quiet = { info: () => undefined, warn: () => undefined };
  const engine = await startEmbeddedEngine({ dir, log: quiet });
  const analytics = connectAnalytics({
    url: () => engine.url(),
    username: engine.username,
    password: engine.password,
    database: "sextant",
  });
  try {
    const answer = await analytics.selectJson<{ rows: number; distinct: number }>(
      "SELECT count() AS rows, uniqExact(sipHash64(message_id)) AS distinct FROM events",
    );
    return answer.data[0] ?? { rows: 0, distinct: 0 };
  } finally {
    await analytics.close();
    await engine.stop();
  }
}
