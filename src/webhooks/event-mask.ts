import { EVENT_TYPES, type EventType } from "../contract/event-types.ts";

/**
 * A subscription keeps its event types as bits: merging is `event_types | new` in the store itself, so of parallel
 * subscriptions none overwrites another. The order of EVENT_TYPES is stored: only append to it.
 */
export function toMask(types: readonly EventType[]): number {
  return types.reduce((mask, type) => mask | (1 << EVENT_TYPES.indexOf(type)), 0);
}

export function fromMask(mask: number): EventType[] {
  return EVENT_TYPES.filter((_, bit) => (mask & (1 << bit)) !== 0);
}
