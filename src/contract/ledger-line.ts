/** What became of the events a project received in a minute: received = stored + duplicate + parked + refused. */
export interface LedgerLine {
  project_id: string;
  at: string;
  received: number;
  stored: number;
  duplicate: number;
  parked: number;
  refused: number;
  /** `outcome:reason` -> events. */
  reasons: Record<string, number>;
}
