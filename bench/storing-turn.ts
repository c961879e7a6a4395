/**
 * One turn of bench/storing.ts: stores events by the code of a checkout, in a file of its own, and prints what one took.
 * Only storing is measured: the processor time of the whole process, whose other threads are those of the engine.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { makeTemplate, putIds, putVisitors } from "./bodies.ts";

/** About as many as a batch of the log has at full load. */
const RECORDS_A_BATCH = 284;
const EVENTS_A_RECORD = 100;
const CONNECTIONS = 256;

const [checkout = "", visitors = "", events = ""] = process.argv.slice(2);
const of = async <T>(path: string) => (await import(pathToFileURL(resolve(checkout, path)).href)) as T;
const { openLocalEngine } = await of<typeof import("../src/engines/duckdb/engine.ts")>("src/engines/duckdb/engine.ts");
const { DEFAULT_LIMITS } = await of<typeof import("../src/engines/duckdb/limits.ts")>("src/engines/duckdb/limits.ts");
const { createTransform } = await of<typeof import("../src/warehouse/transform.ts")>("src/warehouse/transform.ts");
const { encodeRequest } = await of<typeof import("../src/ingest/logged-request.ts")>("src/ingest/logged-request.ts");

export interface Turn {
  readonly storeUs: number;
  readonly bytes: number;
  /** Each batch: the events of the day before it, and the processor time of one of its own. */
  readonly batches: readonly { readonly before: number; readonly us: number }[];
}

const dir = mkdtempSync(join(tmpdir(), "sextant-storing-"));
try {
  process.stdout.write(JSON.stringify(await run(join(dir, "warehouse.duckdb"))));
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function run(path: string): Promise<Turn> {
  const engine = await openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: Date.now });
  await engine.schema.migrate();
  const store = await engine.openBatchStore({ nodeId: "n", cursorFile: "" });
  const transform = createTransform();
  const { signal } = new AbortController();
  let from = { segment: 1, offset: 0 };
  await store.moveTo(from);
  let used = 0;
  let stored = 0;
  const batches: Turn["batches"][number][] = [];
  for (const payloads of makeBatches(Number(visitors), Number(events))) {
    const batch = transform(payloads.map((payload, nth) => ({ payload, recordId: `${from.offset}-${nth}` })));
    const to = { segment: 1, offset: from.offset + 1 };
    const before = process.cpuUsage();
    await store.store(batch, { from, to, token: String(from.offset) }, signal);
    // What a batch leaves to do for later belongs to it: a checkpoint runs before the next one.
    await store.position();
    const { user, system } = process.cpuUsage(before);
    used += user + system;
    batches.push({ before: stored, us: (user + system) / batch.eventCount });
    stored += batch.eventCount;
    from = to;
  }
  await engine.close();
  return { storeUs: used / stored, bytes: statSync(path).size / stored, batches };
}

function* makeBatches(visitorCount: number, eventCount: number): Generator<Buffer[]> {
  const sending = { shape: "batch", form: "object", port: 0, writeKey: "" } as const;
  const templates = Array.from({ length: CONNECTIONS }, (_, connection) => makeTemplate(sending, connection));
  const bodyAt = templates.map(({ bytes }) => bytes.indexOf("\r\n\r\n") + 4);
  const request = {
    projectId: "p",
    workspaceId: "w",
    rules: "tracked",
    lines: false,
    idBase: "x",
    clean: true,
  } as const;
  let number = 0;
  while (number < eventCount) {
    const records: Buffer[] = [];
    for (; records.length < RECORDS_A_BATCH; number += EVENTS_A_RECORD) {
      const connection = (number / EVENTS_A_RECORD) % CONNECTIONS;
      const template = templates[connection];
      if (template === undefined) throw new Error("no template");
      putIds(template, number);
      if (visitorCount > 0) putVisitors(template, number, visitorCount);
      const body = template.bytes.subarray(bodyAt[connection]);
      records.push(Buffer.concat(encodeRequest({ ...request, receivedAtMs: Date.now() }, body)));
    }
    yield records;
  }
}
