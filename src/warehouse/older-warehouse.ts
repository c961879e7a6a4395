import type { AnalyticsEngine } from "../engines/port.ts";

/** A command must not use this warehouse. The message is one line. */
class WarehouseMismatch extends Error {
  override readonly name = "WarehouseMismatch";
}

/**
 * Refuses an older warehouse. Only a start of the service migrates a store, so that a backup is a way back from an
 * upgrade.
 */
export async function refuseOlderWarehouse({ schema }: Pick<AnalyticsEngine, "schema">): Promise<void> {
  const version = await schema.version();
  if (version < schema.newest)
    throw new WarehouseMismatch(
      `the warehouse has schema ${version}, this Sextant needs ${schema.newest}: ` +
        "start the service, it upgrades by itself",
    );
}
