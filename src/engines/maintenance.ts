/** What the worker asks of an engine: partitions and days, and what is removed. */

export interface Partition {
  readonly project_id: string;
  readonly day: string;
}

/** A partition that is to be materialized. */
export interface DuePartition extends Partition {
  /** Its rollups are to leave out the sessions of bots. */
  readonly without_bots: boolean;
}

/** Neighbours of the list with the same `group` are materialized together. */
export interface ListedPartition extends DuePartition {
  readonly group: number;
}

/** The first day that a project keeps. */
export interface KeptDays {
  readonly projectId: string;
  readonly firstDay: string;
}

/** A wallet that is to be erased. */
export interface ErasedWallet {
  readonly projectId: string;
  readonly address: string;
}

/** How much was erased. */
export interface Erased {
  readonly events: number;
  /** Anonymous ids that were seen with this wallet alone. */
  readonly visitors: number;
  readonly properties: number;
  readonly labels: number;
  /** Parked events whose text has the address. */
  readonly parked: number;
}

export interface WantedHours {
  readonly nowMs: number;
  /** The projects that leave bots out. */
  readonly withoutBots: readonly string[];
  /** Projects with fewer new events are left out: a report reads these in a few milliseconds. */
  readonly fewestEvents: number;
}

/** Called with the number of done and of all partitions. */
export type Progress = (done: number, total: number) => void;
