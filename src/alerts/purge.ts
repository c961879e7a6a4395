import type { ControlStore } from "../control/store.ts";

/** Rows of one step: it takes a few milliseconds on either store. */
const STEP_ROWS = 500;

/** Erases what alerts need no longer. Resolves with the number of rows. */
export async function purgeAlertRows(
  store: ControlStore,
  before: { firingsBeforeMs: number; minutesBeforeMs: number; walletsBeforeMs: number },
): Promise<number> {
  return store.write(async (tx) => {
    const firings = tx
      .selectFrom("alert_firings")
      .select("id")
      .where("created_at", "<", before.firingsBeforeMs)
      .limit(STEP_ROWS);
    const done = await tx.deleteFrom("alert_firings").where("id", "in", firings).executeTakeFirst();
    // By time alone: the rows of an hour are few, and the job runs every minute.
    const minutes = await tx
      .deleteFrom("alert_minutes")
      .where("minute", "<", before.minutesBeforeMs)
      .executeTakeFirst();
    const counts = await tx.deleteFrom("alert_counts").where("minute", "<", before.minutesBeforeMs).executeTakeFirst();
    const wallets = await tx
      .deleteFrom("alert_wallets")
      .where("fired_at", "<", before.walletsBeforeMs)
      .executeTakeFirst();
    return [done, minutes, counts, wallets].reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
  });
}
