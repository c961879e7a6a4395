import type { AnalyticsEngine } from "../engines/port.ts";

/** A warehouse that a command must not touch; the message is one line. */
class WarehouseMismatch extends Error {
  override readonly name = "WarehouseMismatch";
}

/** Only a start of the service upgrades a store, so that a backup is a way back from an upgrade: a command refuses an older one. */
export async function refuseOlderWarehouse({ schema }: Pick<AnalyticsEngine, "schema">): Promise<void> {
  const version = await schema.version();
  if (version < schema.newest)
    throw new WarehouseMismatch(
      `the warehouse has schema ${version}, this Sextant needs ${schema.newest}: start the service, it upgrades by itself`,
    );
}
