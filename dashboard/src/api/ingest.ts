/** The report `ingest`: what happened to every event. */
interface Outcomes {
  received: number;
  stored: number;
  duplicate: number;
  parked: number;
  refused: number;
}

export interface Ingest extends Outcomes {
  from: string;
  to: string;
  reasons: { outcome: "parked" | "refused"; reason: string; events: number }[];
  series: readonly (Outcomes & { at: string })[];
  lag_seconds: number | null;
}
