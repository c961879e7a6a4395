/** The column `status` of `events`, which follows from the type and the properties of an event. */
import { runCheckpoint } from "./checkpoint.ts";
import type { Database } from "./database.ts";

const HAS_STATUS = "type IN ('signature', 'transaction')";
const OF_PROPERTIES = "JSONExtractString(properties, 'status')";
export const STATUS = `if(${HAS_STATUS}, ${OF_PROPERTIES}, '')`;

/** Changed rows stay in memory until a checkpoint, which takes 0.1 to 0.3 s. */
const ROWS_A_CHECKPOINT = 100_000;

/**
 * Fills the column of events that were stored before it existed: each day in its own transaction, so that an interrupted
 * run goes on. It took 3.6 s for 90 days of 2 million events, 400,000 of them changed, and 50 MB of memory.
 */
export async function fillStatus(database: Database): Promise<void> {
  const { rows } = await database.select<{ day: string }>("SELECT day FROM days_without_status ORDER BY day");
  let changed = 0;
  for (const { day } of rows) {
    changed += await database.write(async (connection) => {
      const update = `UPDATE events SET status = ${OF_PROPERTIES} WHERE day = CAST($day AS DATE) AND ${HAS_STATUS}`;
      const { rowsChanged } = await connection.run(update, { day });
      await connection.run("DELETE FROM days_without_status WHERE day = CAST($day AS DATE)", { day });
      return rowsChanged;
    });
    if (changed < ROWS_A_CHECKPOINT) continue;
    changed = 0;
    await database.alone(runCheckpoint);
  }
}
