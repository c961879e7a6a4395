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

/** Attempts: those that run, or those that a division has granted on top of them. */
class Attempts {
  readonly byLane = new Map<string, number>();
  readonly byOrigin = new Map<string, number>();
  readonly failingByOrigin = new Map<string, number>();
  all = 0;
  failing = 0;

  change(lane: Lane, by: 1 | -1): void {
    this.all += by;
    if (lane.failing) this.failing += by;
    if (lane.failing) add(this.failingByOrigin, lane.targetOrigin, by);
    add(this.byLane, lane.webhookId, by);
    add(this.byOrigin, lane.targetOrigin, by);
  }
}

export function createSlots(limits: SlotLimits): Slots {
  const running = new Attempts();
  const full = () => ({
    lanes: keysFrom(running.byLane, limits.perLane),
    origins: keysFrom(running.byOrigin, limits.perOrigin),
    failingOrigins: keysFrom(running.failingByOrigin, failingPerOrigin(limits)),
  });
  const isFull = () => Object.values(full()).some((keys) => keys.length > 0);
  const hasRoom = (kind: "any" | "failing") =>
    running.all < limits.total && (kind === "any" || running.failing < limits.failing);
  return {
    share: (lanes) => share(limits, running, lanes),
    take: (lane) => running.change(lane, 1),
    free: (lane) => running.change(lane, -1),
    full,
    used: () => running.all,
    hasRoom,
    isLimited: () => !hasRoom("failing") || isFull(),
  };
}

function share(limits: SlotLimits, running: Attempts, lanes: readonly Lane[]): Share[] {
  const shares = new Map<Lane, number>();
  const granted = new Attempts();
  const order = lanes.toSorted((a, b) => count(running.byLane, a.webhookId) - count(running.byLane, b.webhookId));
  for (let round = 0, progress = true; progress && round < limits.perLane; round += 1) {
    progress = false;
    for (const lane of order) {
      const ofLane = (shares.get(lane) ?? 0) + count(running.byLane, lane.webhookId);
      if (ofLane >= limits.perLane || !hasRoomFor(lane, limits, running, granted)) continue;
      shares.set(lane, (shares.get(lane) ?? 0) + 1);
      granted.change(lane, 1);
      progress = true;
    }
  }
  return [...shares].map(([lane, slots]) => ({ lane, slots }));
}

/** Among all attempts, and among those of its host. */
function hasRoomFor(lane: Lane, limits: SlotLimits, running: Attempts, granted: Attempts): boolean {
  const origin = lane.targetOrigin;
  if (running.all + granted.all >= limits.total) return false;
  if (count(granted.byOrigin, origin) + count(running.byOrigin, origin) >= limits.perOrigin) return false;
  if (!lane.failing) return true;
  const failingOfOrigin = count(granted.failingByOrigin, origin) + count(running.failingByOrigin, origin);
  return running.failing + granted.failing < limits.failing && failingOfOrigin < failingPerOrigin(limits);
}

function failingPerOrigin({ perOrigin }: SlotLimits): number {
  return Math.ceil(perOrigin / 2);
}

function count(counts: ReadonlyMap<string, number>, key: string): number {
  return counts.get(key) ?? 0;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const now = count(counts, key) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

function keysFrom(counts: ReadonlyMap<string, number>, limit: number): string[] {
  return [...counts].filter(([, count]) => count >= limit).map(([key]) => key);
}
