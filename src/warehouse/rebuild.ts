import type { AnalyticsEngine } from "../engines/port.ts";

export interface RebuildProgress {
  done: number;
  total: number;
}

/** Rebuilds all derived data from the events while the service runs. Resolves with the number of partitions. */
export async function rebuildDerived(
  engine: Pick<AnalyticsEngine, "maintenance">,
  onProgress: (progress: RebuildProgress) => void = () => undefined,
): Promise<RebuildProgress> {
  let last: RebuildProgress = { done: 0, total: 0 };
  const report = (done: number, total: number) => {
    last = { done, total };
    onProgress(last);
  };
  await engine.maintenance.rebuild(report, new AbortController().signal);
  return last;
}
