/** THE list of the types of events that clients send, in the order of menus. Other types are stored, too. */
interface EventKindInfo {
  readonly label: string;
  /** Its events have a name of their own, in `event`. The SDKs send the others by themselves. */
  readonly isNamed?: true;
  /** What `status` of its events may be. */
  readonly statuses?: readonly string[];
}

export const EVENT_KINDS = {
  page: { label: "Page view" },
  connect: { label: "Wallet connected" },
  disconnect: { label: "Wallet disconnected" },
  chain: { label: "Chain changed" },
  signature: { label: "Signature", statuses: ["requested", "rejected", "confirmed"] },
  transaction: { label: "Transaction", statuses: ["started", "broadcasted", "confirmed", "reverted", "rejected"] },
  track: { label: "Custom event", isNamed: true },
  decoded_log: { label: "Contract event", isNamed: true },
  identify: { label: "Identified" },
  detect: { label: "Wallet detected" },
} as const satisfies Record<string, EventKindInfo>;

export type EventKind = keyof typeof EVENT_KINDS;

const ALL: readonly (readonly [string, EventKindInfo])[] = Object.entries(EVENT_KINDS);
const namesOf = (kinds: typeof ALL): readonly string[] => kinds.map(([name]) => name);

export const EVENT_KIND_NAMES = Object.keys(EVENT_KINDS) as readonly EventKind[];
export const NAMED_KINDS = namesOf(ALL.filter(([, { isNamed }]) => isNamed));
export const KINDS_WITH_STATUS = namesOf(ALL.filter(([, { statuses }]) => statuses !== undefined));
const PLAIN_KINDS = namesOf(ALL.filter(([, { isNamed, statuses }]) => !isNamed && statuses === undefined));
export const BUILT_IN_KINDS = [...PLAIN_KINDS, ...KINDS_WITH_STATUS];

export function findStatuses(type: string): readonly string[] | undefined {
  return ALL.find(([name]) => name === type)?.[1].statuses;
}
