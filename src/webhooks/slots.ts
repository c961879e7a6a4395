import type { Share } from "./claim.ts";
import type { FullSlots, Lane } from "./lanes.ts";

/**
 * How many attempts may run at once. A target that hangs occupies each of its slots for 15 s, so lanes and hosts have
 * limits of their own. Failing lanes take at most half of all slots and half of their host's: the other half stays free
 * for healthy lanes. lib/semaphore.ts does not fit: nothing waits here, and free slots are divided among lanes.
 */
export interface SlotLimits {
  total: number;
  failing: number;
  perLane: number;
  perOrigin: number;
}

/**
 * 256 payloads of at most 256 KiB are 64 MB. A lane of 16 slots delivers 160 events a second if an answer takes 100 ms.
 * A lane has a quarter of its host's slots: with half of them, two paths that hang blocked every other path of that
 * host.
 */
export const SLOT_LIMITS: SlotLimits = { total: 256, failing: 128, perLane: 16, perOrigin: 64 };

export interface Slots {
  /**
   * Divides the free slots among the lanes, one at a time in turn. Lanes with the fewest running attempts come first.
   */
  share(lanes: readonly Lane[]): Share[];
  take(lane: Lane): void;
  free(lane: Lane): void;
  full(): FullSlots;
  used(): number;
  hasRoom(kind: "any" | "failing"): boolean;
  /** True when a due delivery may be waiting for a slot. */
  isLimited(): boolean;
}

export function createSlots(limits: SlotLimits): Slots {
  const byLane = new Map<string, number>();
  const byOrigin = new Map<string, number>();
  const failingByOrigin = new Map<string, number>();
  const failingPerOrigin = Math.ceil(limits.perOrigin / 2);
  let used = 0;
  let failing = 0;

  function share(lanes: readonly Lane[]): Share[] {
    const shares = new Map<Lane, number>();
    const granted = new Map<string, number>();
    const grantedFailing = new Map<string, number>();
    let [left, leftFailing] = [limits.total - used, limits.failing - failing];
    const order = lanes.toSorted((a, b) => running(byLane, a.webhookId) - running(byLane, b.webhookId));
    for (let round = 0, progress = true; progress && round < limits.perLane; round += 1) {
      progress = false;
      for (const lane of order) {
        const ofLane = (shares.get(lane) ?? 0) + running(byLane, lane.webhookId);
        const ofOrigin = running(granted, lane.targetOrigin) + running(byOrigin, lane.targetOrigin);
        const failingOfOrigin =
          running(grantedFailing, lane.targetOrigin) + running(failingByOrigin, lane.targetOrigin);
        const room = left > 0 && (!lane.failing || (leftFailing > 0 && failingOfOrigin < failingPerOrigin));
        if (!room || ofLane >= limits.perLane || ofOrigin >= limits.perOrigin) continue;
        shares.set(lane, (shares.get(lane) ?? 0) + 1);
        add(granted, lane.targetOrigin, 1);
        left -= 1;
        if (lane.failing) leftFailing -= 1;
        if (lane.failing) add(grantedFailing, lane.targetOrigin, 1);
        progress = true;
      }
    }
    return [...shares].map(([lane, slots]) => ({ lane, slots }));
  }

  function change(lane: Lane, by: 1 | -1): void {
    used += by;
    if (lane.failing) failing += by;
    if (lane.failing) add(failingByOrigin, lane.targetOrigin, by);
    add(byLane, lane.webhookId, by);
    add(byOrigin, lane.targetOrigin, by);
  }

  const full = () => ({
    lanes: keysFrom(byLane, limits.perLane),
    origins: keysFrom(byOrigin, limits.perOrigin),
    failingOrigins: keysFrom(failingByOrigin, failingPerOrigin),
  });
  const isFull = () => Object.values(full()).some((keys) => keys.length > 0);
  const hasRoom = (kind: "any" | "failing") => used < limits.total && (kind === "any" || failing < limits.failing);
  return {
    share,
    take: (lane) => change(lane, 1),
    free: (lane) => change(lane, -1),
    full,
    used: () => used,
    hasRoom,
    isLimited: () => !hasRoom("failing") || isFull(),
  };
}

function running(counts: ReadonlyMap<string, number>, key: string): number {
  return counts.get(key) ?? 0;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const now = running(counts, key) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

function keysFrom(counts: ReadonlyMap<string, number>, limit: number): string[] {
  return [...counts].filter(([, count]) => count >= limit).map(([key]) => key);
}
