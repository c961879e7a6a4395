/**
 * Deletes an import. Its days leave the reports with the lease, all at once, then the warehouse, and the row goes last:
 * whatever is cut, a second deletion does the rest. Events of an import are events like others, and stay.
 */
import type { Tx } from "../control/store.ts";
import { type ClaimDeps, holdLease, takeLease } from "./claim-import.ts";
import { DAYS_SOURCE } from "./days/plausible.ts";
import type { DaysWarehouse } from "./days/warehouse.ts";
import { ImportError } from "./import-error.ts";
import { type Claim, type HeldImport, heldBy } from "./import-lease.ts";
import { findImport, type Import } from "./imports-table.ts";

export interface Deletion {
  readonly projectId: string;
  readonly fileName: string;
  readonly source: string;
  /** Of days, that were removed. */
  readonly sums: number;
  /** The last step, in the transaction of the caller. */
  end(tx: Tx): Promise<void>;
}

interface DeleteDeps extends ClaimDeps {
  readonly warehouse: Pick<DaysWarehouse, "remove">;
}

export type DeleteImport = (
  workspaceId: string,
  importId: string,
  signal: AbortSignal,
) => Promise<Deletion | undefined>;

export function createDeleteImport(deps: Omit<DeleteDeps, "signal">): DeleteImport {
  return (workspaceId, importId, signal) => deleteImport(workspaceId, importId, { ...deps, signal });
}

/** Undefined: there is no such import. Throws an ImportError while a process imports it. */
export async function deleteImport(
  workspaceId: string,
  importId: string,
  deps: DeleteDeps,
): Promise<Deletion | undefined> {
  const hide = (tx: Tx, claim: Claim) => hideImport(tx, workspaceId, importId, claim);
  const { found, owner, steady } = await takeLease(hide, deps);
  if (found === undefined) return undefined;
  const { projectId, fileName, source } = found;
  const held = holdLease(importId, { owner, steady }, deps);
  try {
    const sums = source === DAYS_SOURCE ? await deps.warehouse.remove(projectId, importId, held.signal) : 0;
    await held.leave();
    return { projectId, fileName, source, sums, end: (tx) => removeRow(tx, workspaceId, importId, owner) };
  } catch (cause) {
    await held.end();
    throw cause;
  }
}

async function hideImport(
  tx: Tx,
  workspaceId: string,
  importId: string,
  claim: Claim,
): Promise<Import | HeldImport | undefined> {
  const found = await findImport(tx, workspaceId, importId);
  // Of a file that was sent, the upload is deleted; its days are the exception, because they go with it.
  if (found === undefined || (found.uploadId !== null && found.source !== DAYS_SOURCE)) return undefined;
  const { lease, fileName } = found;
  const row = { lease_owner: lease?.owner ?? null, lease_until: lease?.untilMs ?? null, file_name: fileName };
  const held = heldBy(row, claim);
  if (held !== undefined) return held;
  const hidden = { state: "running", first_day: null, last_day: null } as const;
  const taken = { lease_owner: claim.owner, lease_until: claim.untilMs };
  await tx
    .updateTable("imports")
    .set({ ...hidden, ...taken })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", importId)
    .execute();
  return found;
}

/** With the file that was sent, if there is one: a job removes it. */
async function removeRow(tx: Tx, workspaceId: string, importId: string, owner: string): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom("imports")
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", importId)
    .where("lease_owner", "=", owner)
    .executeTakeFirst();
  if (numDeletedRows !== 1n) throw new ImportError("another process has gone on with the import");
  await tx.deleteFrom("uploads").where("workspace_id", "=", workspaceId).where("import_id", "=", importId).execute();
}
