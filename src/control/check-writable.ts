import type { Clock } from "../lib/clock.ts";
import type { ControlStore } from "./store.ts";

/** Used after a failed write: a full store may still accept a small row, but not one that needs new pages. */
const PROBE_CHARS = 64 * 1024;

/**
 * Whether the control store accepts writes, for readiness. A read proves nothing: a full disk and a PostgreSQL that
 * became a read-only replica both answer `select 1`. Rejects with a public sentence.
 */
export async function checkWritable(store: ControlStore, clock: Clock): Promise<void> {
  try {
    const hasFailed = store.writeFailure() !== undefined;
    if (hasFailed) await writeRow(store, clock, "x".repeat(PROBE_CHARS));
    await writeRow(store, clock, "");
  } catch (cause) {
    throw new Error(store.describeFailure(cause), { cause });
  }
}

async function writeRow(store: ControlStore, clock: Clock, filler: string): Promise<void> {
  const values = { checked_at: clock.nowMs(), filler };
  await store.write(async (tx) => {
    await tx
      .insertInto("write_checks")
      .values({ id: "this", ...values })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(values))
      .execute();
  });
}
