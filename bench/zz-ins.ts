import { readdirSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { connectAnalytics } from "../src/engines/analytics.ts";
import { startEmbeddedEngine } from "../src/engines/embedded/supervisor.ts";
import { encodeRecord } from "../src/ingest/record.ts";
import { migrateWarehouse } from "../src/warehouse/migrate.ts";
import { decodeRow, EVENT_COLUMNS } from "../src/warehouse/row-binary.ts";
import { createTransform } from "../src/warehouse/transform.ts";
import { makeTemplate, putIds } from "./bodies.ts";

let counter = 1;
const tpl = Array.from({ length: 64 }, (_, c) =>
  makeTemplate({ shape: "batch", form: "object", port: 1, writeKey: "x" } as never, c),
);
const bodyOf = (c: number) => {
  const t = tpl[c % 64]!;
  putIds(t, counter);
  counter += 100;
  return Buffer.from(t.bytes.subarray(t.bytes.indexOf("\r\n\r\n") + 4));
};
const dir = "/tmp/x/ins-data";
rmSync(dir, { recursive: true, force: true });
const host = await startEmbeddedEngine({ dir, log: { info() {}, warn() {} } } as never);
const engine = connectAnalytics({
  url: () => host.url(),
  username: host.username,
  password: host.password,
  database: "sextant",
});
await migrateWarehouse(engine, { database: "sextant" } as never);
const transform = createTransform();
const pid = (host.status() as { pid: number }).pid;
const cpu = () => {
  const m: Record<string, number> = { all: 0 };
  for (const t of readdirSync(`/proc/${pid}/task`)) {
    try {
      const f = readFileSync(`/proc/${pid}/task/${t}/stat`, "utf8");
      const name = f.slice(f.indexOf("(") + 1, f.lastIndexOf(")"));
      const r = f.slice(f.lastIndexOf(")") + 2).split(" ");
      const v = (Number(r[11]) + Number(r[12])) * 10;
      m.all! += v;
      m[name] = (m[name] ?? 0) + v;
    } catch {}
  }
  return m;
};
const SIZE = Number(process.env.SIZE ?? 8000),
  N = Number(process.env.N ?? 40);
const batchOf = (n: number) =>
  transform(
    Array.from({ length: n / 100 }, (_, i) => ({
      payload: Buffer.concat(
        encodeRecord(
          {
            projectId: "p1",
            workspaceId: "w",
            receivedAtMs: Date.now(),
            rules: "raw",
            lines: false,
            idBase: "x",
            clean: true,
          },
          bodyOf(i),
        ),
      ),
      place: "a" + i,
    })),
  );
const sorted = (b: ReturnType<typeof batchOf>) => {
  const rows = Array.from(b.starts, (s, i) => b.events.subarray(s, b.starts[i + 1] ?? b.events.length));
  const keyed = rows.map((r) => [String(decodeRow(r).message_id), r] as const).sort((a, c) => (a[0] < c[0] ? -1 : 1));
  return Buffer.concat(keyed.map(([, r]) => r));
};
const ddl = readFileSync(new URL("../src/warehouse/schema/0002_events.sql", import.meta.url), "utf8").split(/;\n/)[0]!;
const batches = Array.from({ length: N }, () => batchOf(SIZE));
const plain = batches.map((b) => Buffer.from(b.events));
const ordered = batches.map(sorted);
const lz4 = (d: string) =>
  d.replace(/CODEC\(ZSTD\(\d\)\)/g, "").replace(/CODEC\(T64, ZSTD\(1\)\)/g, "CODEC(T64, Default)");
type V = [name: string, f: (d: string) => string, bodies: Buffer[]];
const variants: V[] = [
  ["base", (d) => d, plain],
  ["sorted", (d) => d, ordered],
  ["zstd1", (d) => d.replace(/ZSTD\(3\)/g, "ZSTD(1)"), plain],
  ["lz4", lz4, plain],
  ["lz4 sorted", lz4, ordered],
  ["lz4 sorted base10", (d) => lz4(d) + ", merge_selector_base = 10", ordered],
  ["lz4 sorted novert", (d) => lz4(d) + ", enable_vertical_merge_algorithm = 0", ordered],
  ["lz4 sorted vert-early", (d) => lz4(d) + ", vertical_merge_algorithm_min_rows_to_activate = 1", ordered],
  ["z1", (d) => d.replace(/ZSTD\(3\)/g, "ZSTD(1)"), plain],
  [
    "z1 noLC",
    (d) => d.replace(/ZSTD\(3\)/g, "ZSTD(1)").replace(/LowCardinality\(String\)/g, "String CODEC(ZSTD(1))"),
    plain,
  ],
  [
    "z1 noLC sorted",
    (d) => d.replace(/ZSTD\(3\)/g, "ZSTD(1)").replace(/LowCardinality\(String\)/g, "String CODEC(ZSTD(1))"),
    ordered,
  ],
  [
    "z1 noLC sorted base8",
    (d) =>
      d.replace(/ZSTD\(3\)/g, "ZSTD(1)").replace(/LowCardinality\(String\)/g, "String CODEC(ZSTD(1))") +
      ", merge_selector_base = 8",
    ordered,
  ],
  ["base base8", (d) => d + ", merge_selector_base = 8", plain],
  ["lz4 sorted noLC", (d) => lz4(d).replace(/LowCardinality\(String\)/g, "String"), ordered],
];
const want = process.argv[2]?.split(",");
for (const [name, f, bodies] of variants.filter(([n]) => !want || want.includes(n))) {
  await engine.command("DROP TABLE IF EXISTS e2 SYNC");
  await engine.command(f(ddl.slice(ddl.indexOf("CREATE TABLE"))).replace("IF NOT EXISTS events", "e2"));
  const c0 = cpu();
  for (const body of bodies) {
    await engine.insert({
      table: "e2",
      columns: EVENT_COLUMNS,
      format: "RowBinary",
      body,
      settings: { max_partitions_per_insert_block: 0, input_format_parallel_parsing: 0 },
    });
    await delay(100);
  }
  const c1 = cpu();
  for (let quiet = 0; quiet < 3; ) {
    const n = Number((await engine.selectJson<{ n: number }>("SELECT count() AS n FROM system.merges")).data[0]!.n);
    quiet = n === 0 ? quiet + 1 : 0;
    await delay(300);
  }
  const c2 = cpu();
  const rows = SIZE * N;
  const d = (
    await engine.selectJson<{ b: number; p: number }>(
      "SELECT sum(bytes_on_disk) AS b, count() AS p FROM system.parts WHERE table='e2' AND active",
    )
  ).data[0]!;
  const diff = (a: typeof c0, b: typeof c0, k: string) => ((((b[k] ?? 0) - (a[k] ?? 0)) * 1000) / rows).toFixed(1);
  console.log(
    name.padEnd(24),
    "all",
    diff(c0, c2, "all"),
    "merge",
    diff(c0, c2, "MergeMutate"),
    "insert(rest)",
    (Number(diff(c0, c2, "all")) - Number(diff(c0, c2, "MergeMutate"))).toFixed(1),
    "bytes/row",
    (d.b / rows).toFixed(0),
    "parts",
    d.p,
  );
}
await engine.close();
await host.stop();
rmSync(dir, { recursive: true, force: true });
process.exit();
