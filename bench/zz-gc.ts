import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProcess } from "../test/support/process.ts";
import { MAIN, readCredentials, serviceEnv } from "../test/support/service.ts";
import { startLoad } from "./load-process.ts";

const shape = (process.argv[2] ?? "batch") as "single" | "batch";
const seconds = 8;
const root = mkdtempSync("/tmp/sextant-prof-");
const dataDir = join(root, "data");
const service = startProcess(
  ["--trace-gc", ...(process.env.FLAGS ?? "").split(" ").filter(Boolean), MAIN, "serve"],
  serviceEnv(dataDir, {
    SEXTANT_EVENTS_RATE_PER_SECOND: "1000000",
    SEXTANT_EVENTS_RATE_BURST: "10000000",
    SEXTANT_LOG_LEVEL: "warn",
  }),
);
try {
  await service.waitForLine(/is ready\.[\s\S]*\n/);
  const { eventsUrl, writeKey } = readCredentials(dataDir);
  const load = await startLoad();
  const mark = service.stdout().length;
  const r = await load.run({
    port: Number(new URL(eventsUrl).port),
    writeKey,
    shape,
    form: "object",
    connections: 256,
    seconds,
    ...(shape === "batch" ? { perSecond: Number(process.env.RATE ?? 200) } : {}),
  } as never);
  console.log(shape, Math.round(r.okPerSecond), "req/s p50", r.p50Ms.toFixed(1), "p99", r.p99Ms.toFixed(1));
  writeFileSync("/tmp/x/gc.txt", service.stdout().slice(mark));
  load.close();
  await service.kill("SIGTERM");
} finally {
  if (service.child.exitCode === null && service.child.signalCode === null) await service.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
}
process.exit();
