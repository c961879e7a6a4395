import type { EventsAdmin } from "./cli/deps.ts";
import type { Installation } from "./installation/installation.ts";

/** Commands run to their end. */
const NEVER = new AbortController();

/** What commands about events need of a running engine; loaded only on demand. */
export async function openEvents(installation: Installation): Promise<EventsAdmin> {
  const { refuseOlderWarehouse } = await import("./warehouse/older-warehouse.ts");
  const { rebuildDerived } = await import("./warehouse/rebuild.ts");
  const { readLedger } = await import("./warehouse/ledger.ts");
  const { listParked, readParked } = await import("./warehouse/parked.ts");
  const { replayParked } = await import("./warehouse/replay.ts");
  const { createDaysWarehouse } = await import("./imports/days/warehouse.ts");
  const { createEraseWallet } = await import("./profiles/erase.ts");
  const { createWriteWallets } = await import("./profiles/write-wallets.ts");
  const engine = await installation.openRunningEngine();
  try {
    await refuseOlderWarehouse(engine);
  } catch (cause) {
    await engine.close();
    throw cause;
  }
  return {
    ledger: (projects, window) => readLedger(engine, projects, window),
    listParked: (projects, filter) => listParked(engine, projects, filter),
    readParked: (projects, filter) => readParked(engine, projects, filter),
    replay: (projects, filter, onProgress) => replayParked(engine, projects, filter, onProgress),
    rebuild: (onProgress) => rebuildDerived(engine, onProgress),
    async eraseWallet(projectId, address, nowMs) {
      const done = await createEraseWallet(engine)(projectId, address, nowMs, NEVER.signal);
      return done && { ...done, receipt: { ...done.receipt, remaining: [...done.receipt.remaining] } };
    },
    writeWallets: createWriteWallets(engine),
    days: createDaysWarehouse(engine),
    close: () => engine.close(),
  };
}
