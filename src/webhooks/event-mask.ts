import { EVENT_TYPES, type EventType } from "../contract/webhook-events.ts";

/**
 * A subscription stores its event types as bits. Merging is `event_types | new` in the store, so that parallel
 * subscriptions do not overwrite each other. The order of EVENT_TYPES is stored: only append to it.
 */
export function toMask(types: readonly EventType[]): number {
  return types.reduce((mask, type) => mask | (1 << EVENT_TYPES.indexOf(type)), 0);
}

export function fromMask(mask: number): EventType[] {
  return EVENT_TYPES.filter((_, bit) => (mask & (1 << bit)) !== 0);
}
