/** Who imports a file now: columns of a row of `imports`. claim-import.ts takes and keeps such a lease. */

export interface ImportLease {
  readonly owner: string;
  /** Nobody else begins before. */
  readonly untilMs: number;
}

/** A lease that another process has, and of which file. */
export interface HeldImport extends ImportLease {
  readonly fileName: string;
}

export interface Claim extends ImportLease {
  readonly nowMs: number;
  /** A holder that is known to be dead. */
  readonly instead?: string | undefined;
}

export interface DaySpan {
  readonly firstDay: string;
  readonly lastDay: string;
}

interface LeaseRow {
  readonly lease_owner: string | null;
  readonly lease_until: number | null;
  readonly file_name: string;
}

/** Undefined: nobody imports it. A time this far in the future was written before a clock was set back. */
export function heldBy({ lease_owner, lease_until, file_name }: LeaseRow, claim: Claim): HeldImport | undefined {
  if (lease_owner === null || lease_until === null || lease_owner === claim.instead) return undefined;
  const longestMs = 2 * (claim.untilMs - claim.nowMs);
  if (lease_until <= claim.nowMs || lease_until > claim.nowMs + longestMs) return undefined;
  return { owner: lease_owner, untilMs: lease_until, fileName: file_name };
}
