/** Cuts the power of a recorded run at some step, and starts the real service on what the disk may hold then. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drain, findStored, readSums } from "../../support/chaos.ts";
import { makeDataDir, startService } from "../../support/service.ts";
import { connectWarehouse } from "../../support/warehouse.ts";
import { Disk } from "./disk.ts";
import type { Recorded } from "./record.ts";
import type { Step } from "./trace.ts";

export interface CutResult {
  /** Acknowledged before the cut, events and forms. */
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  readonly unexpected: number;
  /** The difference between the stored events and those of the ledger. */
  readonly miscounted: number;
  /** Why the service did not start; undefined if it did. */
  readonly refused?: string;
}

/** A start waits for the disk and for its engine most of the time. */
const AT_ONCE = 3;

/** What a cut falls into is drawn first: most of the steps are those of the event log. */
const KINDS = [/\/log\//, /control\.sqlite/, /warehouse\.duckdb$/, /warehouse\.duckdb\.wal$/, /./];

/** The part of the cuts that may fall into the first start, before anything is acknowledged. */
const ANYWHERE = 0.1;

/** The numbers of steps after which the power is cut, in order. */
export function drawCuts({ steps, events }: Recorded, count: number, random: () => number): number[] {
  const firstMs = Math.min(...events.values());
  const byKind = KINDS.map((kind) => steps.flatMap(({ path }, nth) => (kind.test(path) ? [nth] : [])));
  const draw = () => {
    const own = byKind[Math.floor(random() * byKind.length)] ?? [];
    const later = random() < ANYWHERE ? own : own.filter((nth) => (steps[nth]?.atMs ?? 0) > firstMs);
    return later[Math.floor(random() * later.length)] ?? 0;
  };
  return Array.from({ length: count }, draw).toSorted((one, other) => one - other);
}

export async function tryCuts(
  dir: string,
  recorded: Recorded,
  cuts: readonly number[],
  random: () => number,
  say: (result: CutResult, nth: number, step: Step) => void,
): Promise<void> {
  const disk = new Disk(dir);
  const running = new Set<Promise<void>>();
  let applied = 0;
  for (const cut of cuts) {
    for (; applied <= cut; applied += 1) disk.apply(recorded.steps[applied] as Step);
    const step = recorded.steps[cut] as Step;
    if (running.size >= AT_ONCE) await Promise.race(running);
    const one: Promise<void> = tryCut(disk.after(random), recorded, step.atMs).then((result) => {
      running.delete(one);
      say(result, cut, step);
    });
    running.add(one);
  }
  await Promise.all(running);
}

async function tryCut(
  files: ReadonlyMap<string, Buffer | undefined>,
  { sent, events, forms, projectId, apiKey }: Recorded,
  atMs: number,
): Promise<CutResult> {
  const { dir, remove } = makeDataDir();
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const [path, content] of files)
    if (content === undefined) mkdirSync(join(dir, path), { mode: 0o700 });
    else writeFileSync(join(dir, path), content, { mode: 0o600 });
  const before = (all: ReadonlyMap<string, number>) => [...all].filter(([, ms]) => ms < atMs).map(([id]) => id);
  const [wanted, wantedForms] = [before(events), before(forms)];
  try {
    const service = await startService(dir, { SEXTANT_LOG_LEVEL: "error" }).catch((cause: unknown) => String(cause));
    if (typeof service === "string")
      return { acknowledged: 0, lost: 0, doubled: 0, unexpected: 0, miscounted: 0, refused: service };
    try {
      await drain(service);
      const warehouse = connectWarehouse(dir);
      try {
        const found = await findStored(warehouse);
        const { stored } = await readSums(warehouse, projectId);
        const titles = wantedForms.length === 0 ? new Set() : await readTitles(service.apiUrl, apiKey);
        return {
          acknowledged: wanted.length + wantedForms.length,
          lost: wanted.filter((id) => !found.has(id)).length + wantedForms.filter((title) => !titles.has(title)).length,
          doubled: [...found.values()].filter((copies) => copies !== 1).length,
          unexpected: [...found.keys()].filter((id) => !sent.has(id)).length,
          miscounted: Math.abs(stored - found.size),
        };
      } finally {
        await warehouse.close();
      }
    } finally {
      await service.kill("SIGKILL");
    }
  } finally {
    remove();
  }
}

async function readTitles(apiUrl: string, apiKey: string): Promise<ReadonlySet<string>> {
  const titles = new Set<string>();
  for (let page = 1; ; page += 1) {
    const answer = await fetch(`${apiUrl}/api/forms?size=100&page=${page}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const { data } = (await answer.json()) as { data?: { title: string }[] };
    for (const { title } of data ?? []) titles.add(title);
    if ((data?.length ?? 0) < 100) return titles;
  }
}
