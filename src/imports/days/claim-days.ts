/**
 * A day of two imports would count twice. So an import of days claims them before it writes any: a row of `imports` with
 * days has them while it is done, or while its process holds its lease. Two that begin at the same moment take turns by
 * the row of their project.
 */
import { lockProject } from "../../control/lock-rows.ts";
import type { Tx } from "../../control/store.ts";
import { ImportError } from "../import-error.ts";
import { type Claim, type DaySpan, type HeldImport, heldBy } from "../import-lease.ts";

interface WantedDays {
  readonly projectId: string;
  readonly contentId: string;
  readonly days: DaySpan;
}

/**
 * Throws where another import is done with one of the days, and resolves with the lease of one that is about to be. One
 * whose process has died loses days and lease: should it come back, it cannot end.
 */
export async function claimDays(
  tx: Tx,
  workspaceId: string,
  { projectId, contentId, days }: WantedDays,
  claim: Claim,
): Promise<HeldImport | undefined> {
  await lockProject(tx, workspaceId, projectId);
  const others = await tx
    .selectFrom("imports")
    .select(["id", "state", "file_name", "first_day", "last_day", "lease_owner", "lease_until"])
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "=", projectId)
    .where("content_id", "!=", contentId)
    .where("first_day", "<=", days.lastDay)
    .where("last_day", ">=", days.firstDay)
    .orderBy("id")
    .execute();
  const done = others.find(({ state }) => state === "done");
  if (done !== undefined)
    throw new ImportError(
      `the import of ${done.file_name} has days from ${done.first_day} to ${done.last_day}: delete it first in the list of imports, or with \`sextant import delete ${done.id}\``,
    );
  for (const other of others) {
    const held = heldBy(other, claim);
    if (held !== undefined) return held;
    const nobodys = { first_day: null, last_day: null, lease_owner: null, lease_until: null };
    await tx.updateTable("imports").set(nobodys).where("id", "=", other.id).execute();
  }
  return undefined;
}
