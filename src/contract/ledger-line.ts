/**
 * The outcomes of the events that a project received in one minute: received = stored + duplicate + parked + refused.
 */
export interface LedgerLine {
  project_id: string;
  at: string;
  received: number;
  stored: number;
  duplicate: number;
  parked: number;
  refused: number;
  /** `outcome:reason` -> number of events. */
  reasons: Record<string, number>;
}
