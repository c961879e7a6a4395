import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startProcess } from "../test/support/process.ts";
import { MAIN, readCredentials, serviceEnv } from "../test/support/service.ts";
import { startLoad } from "./load-process.ts";

const shape = (process.argv[2] ?? "single") as "single" | "batch";
const seconds = Number(process.argv[3] ?? 8);
const out = process.argv[4] ?? "/tmp/x/p3/out";
rmSync(out, { recursive: true, force: true });
const root = mkdtempSync("/tmp/sextant-prof-");
const dataDir = join(root, "data");
const flags = process.env.NOPROF ? [] : ["--cpu-prof", `--cpu-prof-dir=${out}`, "--cpu-prof-interval=500"];
const service = startProcess(
  [...flags, ...(process.env.FLAGS ?? "").split(" ").filter(Boolean), MAIN, "serve"],
  serviceEnv(dataDir, {
    SEXTANT_EVENTS_RATE_PER_SECOND: "1000000",
    SEXTANT_EVENTS_RATE_BURST: "10000000",
    SEXTANT_LOG_LEVEL: "warn",
  }),
);
try {
  await service.waitForLine(/is ready\.[\s\S]*\n\n/);
  const { eventsUrl, writeKey } = readCredentials(dataDir);
  const load = await startLoad();
  const cpu = () => {
    const m = new Map<string, number>();
    const pids = [service.child.pid!];
    for (const c of readFileSync(`/proc/${pids[0]}/task/${pids[0]}/children`, "utf8").trim().split(" ").filter(Boolean))
      pids.push(Number(c));
    pids.forEach((pid, n) => {
      for (const t of readdirSync(`/proc/${pid}/task`)) {
        try {
          const f = readFileSync(`/proc/${pid}/task/${t}/stat`, "utf8");
          const name = f.slice(f.indexOf("(") + 1, f.lastIndexOf(")"));
          const r = f.slice(f.lastIndexOf(")") + 2).split(" ");
          const k = `${n}:${Number(t) === pid ? "main" : name}`;
          m.set(k, (m.get(k) ?? 0) + (Number(r[11]) + Number(r[12])) * 10);
        } catch {}
      }
    });
    return m;
  };
  const c0 = cpu();
  const r = await load.run({
    port: Number(new URL(eventsUrl).port),
    writeKey,
    shape,
    form: "object",
    connections: 256,
    seconds,
  } as never);
  console.log(shape, Math.round(r.okPerSecond), "req/s p50", r.p50Ms.toFixed(1), "p99", r.p99Ms.toFixed(1));
  const c1 = cpu();
  const n = r.okPerSecond * seconds * (shape === "batch" ? 100 : 1);
  for (const [k, v] of [...c1].sort((a, b) => b[1] - a[1])) {
    const d = v - (c0.get(k) ?? 0);
    if (d > 30) console.log("  ", k.padEnd(24), d, "ms", ((d * 1000) / n).toFixed(1), "us/event");
  }
  console.log("   load gen", ((r.cpuSeconds * 1e6) / n).toFixed(1), "us/event");
  load.close();
  await service.kill("SIGTERM");
} finally {
  if (service.child.exitCode === null && service.child.signalCode === null) await service.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
}
process.exit();
