/**
 * An alert that is new, changed or active again looks at what is received from now on, also at events that were looked
 * at for other alerts in the same moment: the minute before and all later ones are read again. Evaluations that are
 * under way have another version of the cursor and write nothing.
 */
import { sql } from "kysely";
import type { Tx } from "../control/store.ts";
import { MINUTE_MS } from "../lib/time.ts";

export async function readAgainFrom(
  tx: Tx,
  { workspaceId, projectId }: { workspaceId: string; projectId: string },
  nowMs: number,
): Promise<void> {
  await tx
    .insertInto("alert_cursors")
    .values({ workspace_id: workspaceId, project_id: projectId, version: 1 })
    .onConflict((conflict) => conflict.column("project_id").doUpdateSet({ version: sql`alert_cursors.version + 1` }))
    .execute();
  await tx
    .deleteFrom("alert_minutes")
    .where("project_id", "=", projectId)
    .where("minute", ">", nowMs - 2 * MINUTE_MS)
    .execute();
}
