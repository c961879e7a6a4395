import type { Share } from "./claim.ts";
import type { FullSlots, Lane } from "./lanes.ts";

/**
 * How many attempts may run at once. A hanging target holds each of its slots for 15 s, so no lane and no host may have many,
 * and lanes that are known to fail may never take more than half of all, nor more than half of their host's: the other half
 * is always there for healthy ones. No lib/semaphore.ts: nobody waits here, and the free slots are divided among lanes.
 */
export interface SlotLimits {
  total: number;
  failing: number;
  perLane: number;
  perOrigin: number;
}

/**
 * 256 payloads of at most 256 KiB are 64 MB; one lane at 100 ms an answer gets 160 deliveries a second through. A lane has a
 * quarter of its host's: with half of them, two paths that hang kept every other path of that host waiting.
 */
export const SLOT_LIMITS: SlotLimits = { total: 256, failing: 128, perLane: 16, perOrigin: 64 };

export interface Slots {
  /** Divides what is free among the lanes, one slot at a time in turn, those with the fewest attempts under way first. */
  share(lanes: readonly Lane[]): Share[];
  take(lane: Lane): void;
  free(lane: Lane): void;
  full(): FullSlots;
  used(): number;
  hasRoom(kind: "any" | "failing"): boolean;
  /** True when something may wait for a slot rather than for its time. */
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
    const given = new Map<string, number>();
    const givenFailing = new Map<string, number>();
    let [left, leftFailing] = [limits.total - used, limits.failing - failing];
    const turns = lanes.toSorted((a, b) => running(byLane, a.webhookId) - running(byLane, b.webhookId));
    for (let round = 0, gave = true; gave && round < limits.perLane; round += 1) {
      gave = false;
      for (const lane of turns) {
        const mine = (shares.get(lane) ?? 0) + running(byLane, lane.webhookId);
        const theirs = running(given, lane.targetOrigin) + running(byOrigin, lane.targetOrigin);
        const dead = running(givenFailing, lane.targetOrigin) + running(failingByOrigin, lane.targetOrigin);
        const room = left > 0 && (!lane.failing || (leftFailing > 0 && dead < failingPerOrigin));
        if (!room || mine >= limits.perLane || theirs >= limits.perOrigin) continue;
        shares.set(lane, (shares.get(lane) ?? 0) + 1);
        add(given, lane.targetOrigin, 1);
        left -= 1;
        if (lane.failing) leftFailing -= 1;
        if (lane.failing) add(givenFailing, lane.targetOrigin, 1);
        gave = true;
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
