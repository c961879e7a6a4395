import { readdirSync, readFileSync } from "node:fs";
import { startLoad } from "./load-process.ts";
import { startSextant } from "./sextant.ts";
import { sustain } from "./sustain.ts";

const seconds = Number(process.argv[2] ?? 10);
const cl: (() => unknown)[] = [];
try {
  const load = await startLoad();
  cl.push(load.close);
  const s = await startSextant((r) => cl.push(r));
  const cpu = () => {
    const m = new Map<string, number>();
    const pids = [s.pid];
    for (const c of readFileSync(`/proc/${s.pid}/task/${s.pid}/children`, "utf8").trim().split(" ").filter(Boolean))
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
  await sustain(load, s, { form: "object", connections: 256, seconds: 4, window: 60_000 });
  for (const [name, extra] of [
    ["full", { window: 60_000 }],
    ["half", {}],
  ] as const) {
    const c0 = cpu();
    const r = await sustain(load, s, {
      form: "object",
      connections: 256,
      seconds,
      ...(name === "half" ? { perSecond: 130 } : extra),
    });
    const c1 = cpu();
    const n = r.storedPerSecond * r.seconds;
    console.log(
      name,
      "stored/s",
      Math.round(r.storedPerSecond),
      "p50",
      r.load.p50Ms.toFixed(1),
      "p99",
      r.load.p99Ms.toFixed(1),
      "lag p99",
      r.lag.p99.toFixed(2),
      "rss peak",
      r.rss.peakMb | 0,
      "service",
      r.rss.servicePeakMb | 0,
      "cpu us/event",
      ((r.cpuSeconds * 1e6) / n).toFixed(1),
      "n",
      n | 0,
    );
    console.log(
      "   " +
        [...c1]
          .sort((a, b) => b[1] - a[1])
          .map(([k, v]) => [k, v - (c0.get(k) ?? 0)] as const)
          .filter(([, d]) => d > 100)
          .map(([k, d]) => `${k} ${((d * 1000) / n).toFixed(1)}`)
          .join(", "),
    );
  }
  console.log(JSON.stringify(await s.stopAndCount()));
} finally {
  for (const c of cl.reverse()) await c();
}
process.exit();
