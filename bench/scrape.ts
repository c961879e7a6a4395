/** The metrics of the service, from its operations port. */
export interface Scrape {
  readonly accepted: number;
  readonly stored: number;
  readonly duplicates: number;
  readonly parked: number;
  readonly retries: number;
  /** Upper bound in seconds -> inserts whose oldest event was at most that old. */
  readonly freshness: ReadonlyMap<number, number>;
}

export async function scrape(opsUrl: string): Promise<Scrape> {
  const answer = await fetch(`${opsUrl}/metrics`, { signal: AbortSignal.timeout(30_000) });
  const text = await answer.text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "gm"))].reduce((all, [, value]) => all + Number(value), 0);
  const buckets = text.matchAll(/^sextant_event_freshness_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm);
  return {
    accepted: read('sextant_events_total\\{outcome="accepted"\\}'),
    stored: read("sextant_events_stored_total"),
    duplicates: read("sextant_events_duplicate_total"),
    parked: sum("sextant_events_parked_total"),
    retries: read("sextant_writer_retries_total"),
    freshness: new Map([...buckets].map(([, le, count]) => [Number(le?.replace("+Inf", "Infinity")), Number(count)])),
  };
}

/** The bucket that contains the quantile of the observations between two scrapes: an upper bound, in seconds. */
export function freshnessBetween(before: Scrape, after: Scrape, q: number): number {
  const total = between(before, after, Number.POSITIVE_INFINITY);
  const bounds = [...after.freshness.keys()].sort((a, b) => a - b);
  return bounds.find((bound) => between(before, after, bound) >= total * q) ?? 0;
}

function between(before: Scrape, after: Scrape, bound: number): number {
  return (after.freshness.get(bound) ?? 0) - (before.freshness.get(bound) ?? 0);
}
