import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { ReadyCheck } from "../contract/ready-check.ts";
import type { SystemState } from "../contract/system.ts";
import { readStoreVersion } from "../control/store-version.ts";
import { withTimeout } from "../lib/timeout.ts";
import { stateOf } from "../routes/ops/ops.ts";
import type { Stores } from "./stores.ts";

/** The page asks every ten seconds; an engine that hangs must not hold it longer than a check. */
const ANSWER_MS = 2_000;

interface SystemDeps {
  stores: Stores;
  checks: readonly ReadyCheck[];
  dataDir: string;
}

/** What the page System and a person who asks for help want to know about the machine and the stores. */
export function createDescribeSystem({ stores, checks, dataDir }: SystemDeps): () => Promise<SystemState> {
  const { store, analytics } = stores;
  const engineVersion = async () => {
    const { rows } = await analytics.engine.select<{ v: string }>("SELECT version() AS v", { timeoutMs: ANSWER_MS });
    return rows[0]?.v ?? "";
  };
  return async () => {
    const [engine, control, disk, states] = await Promise.all([
      orNull(engineVersion),
      orNull(() => readStoreVersion(store)),
      describeDisk(dataDir),
      Promise.all(checks.map(async ({ name, check }) => [name, await stateOf(check)] as const)),
    ]);
    return {
      node: process.versions.node,
      upSeconds: Math.floor(process.uptime()),
      engine: { name: analytics.describe.split(" ", 1)[0] ?? "", version: engine },
      controlStore: { name: store.name === "sqlite" ? "SQLite" : "PostgreSQL", version: control },
      disk,
      checks: Object.fromEntries(states),
    };
  };
}

async function describeDisk(dir: string): Promise<SystemState["disk"]> {
  const [dataBytes, disk] = await Promise.all([orNull(() => sizeOf(dir)), orNull(() => statfs(dir))]);
  if (disk === null) return { dataBytes, freeBytes: null, totalBytes: null };
  return { dataBytes, freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}

/** A directory of databases and log segments: hundreds of files at most. */
async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    // A segment of the log may be removed meanwhile.
    files.map(async (file) => (await orNull(() => stat(join(file.parentPath, file.name))))?.size ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await withTimeout(ANSWER_MS, read());
  } catch {
    return null;
  }
}
