import { readdirSync, readFileSync } from "node:fs";
import { startBare } from "./compare.ts";
import { startLoad } from "./load-process.ts";

for (const kind of ["bare", "parse"] as const) {
  const load = await startLoad();
  const b = await startBare(kind);
  const pids = () =>
    readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ").map(Number);
  const cpu = () => {
    const m = new Map<string, number>();
    for (const pid of pids()) {
      try {
        for (const t of readdirSync(`/proc/${pid}/task`)) {
          const f = readFileSync(`/proc/${pid}/task/${t}/stat`, "utf8");
          const name = f.slice(f.indexOf("(") + 1, f.lastIndexOf(")"));
          const r = f.slice(f.lastIndexOf(")") + 2).split(" ");
          const k = `${pid}:${Number(t) === pid ? "main" : name}`;
          m.set(k, (m.get(k) ?? 0) + (Number(r[11]) + Number(r[12])) * 10);
        }
      } catch {}
    }
    return m;
  };
  await load.run({
    port: b.port,
    writeKey: "x",
    shape: "single",
    form: "object",
    connections: 256,
    seconds: 3,
  } as never);
  const c0 = cpu();
  const r = await load.run({
    port: b.port,
    writeKey: "x",
    shape: "single",
    form: "object",
    connections: 256,
    seconds: 6,
  } as never);
  const c1 = cpu();
  console.log(kind, Math.round(r.okPerSecond), "req/s");
  for (const [k, v] of c1) {
    const d = v - (c0.get(k) ?? 0);
    if (d > 50) console.log("  ", k, ((d * 1000) / (r.okPerSecond * 6)).toFixed(1), "us/req");
  }
  load.close();
  b.close();
}
process.exit();
