// The profiles that a list of stored events stands for, computed with Maps and loops. Like oracle.ts, it shares no code
// with the product and is written to be obviously right, not fast.
import { createHasher } from "../../src/engines/event-hashes.ts";
import { compareBytes, isEarlier, type OracleEvent, sessionsOf, visitorOf } from "./oracle.ts";

const DAY_MS = 86_400_000;
const REACH_DAYS = 30;
const TOUCH_TEXTS = [
  ...(["referrer", "referrer_url", "ref", "utm_source", "utm_medium", "utm_campaign"] as const),
  ...(["utm_term", "utm_content"] as const),
];
const SIGNALS = ["referrer", "ref", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;

export type ExpectedProfile = Readonly<Record<string, string | number | readonly string[]>>;

/** A session that shows how its visitors arrived. */
interface Touch {
  readonly visitors: ReadonlySet<string>;
  readonly day: number;
  readonly startMs: number;
  readonly tie: bigint;
  readonly hasSignal: boolean;
  readonly texts: Readonly<Record<string, string>>;
}

const numberOfDay = (ms: number) => Math.floor(ms / DAY_MS);
const nameOfDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** One for each project and address, in no order. Every event counts once. */
export function expectedProfiles(events: readonly OracleEvent[]): ExpectedProfile[] {
  return [...Map.groupBy(events, ({ project_id }) => project_id)].flatMap(([project, ofProject]) => {
    const touches = touchesOf(project, ofProject);
    const withAddress = ofProject.filter(({ address }) => address !== "");
    return [...Map.groupBy(withAddress, ({ address }) => address)].map(([address, own]) =>
      profileOf(project, address, own, touches),
    );
  });
}

function profileOf(
  project_id: string,
  address: string,
  events: readonly OracleEvent[],
  touches: readonly Touch[],
): ExpectedProfile {
  const sorted = events.toSorted((a, b) => (isEarlier(a, b) ? -1 : 1));
  const latest = (knows: (event: OracleEvent) => boolean) => sorted.findLast(knows);
  const client = latest(({ device, browser, os }) => `${device}${browser}${os}` !== "");
  const last = latest(() => true);
  const properties = JSON.stringify(last?.properties ?? {});
  const own = touches.filter((touch) => events.some((event) => reaches(event, touch))).toSorted(inOrder);
  const signals = own.filter(({ hasSignal }) => hasSignal);
  return {
    project_id,
    address,
    first_seen_ms: sorted[0]?.timestamp ?? 0,
    last_seen_ms: last?.timestamp ?? 0,
    sessions: new Set(events.map(sessionOf)).size,
    events: events.length,
    transactions: events.filter(isTransaction).length,
    signatures: events.filter(isSignature).length,
    revenue: sum(events, ({ revenue }) => revenue),
    volume: sum(events, ({ volume }) => volume),
    points: sum(events, ({ points }) => points),
    chains: distinct(events.map(({ chain_id }) => chain_id)),
    activity_days: distinct(events.map(({ timestamp }) => nameOfDay(timestamp))),
    device: client?.device ?? "",
    browser: client?.browser ?? "",
    os: client?.os ?? "",
    location: latest(({ location }) => location !== "")?.location ?? "",
    user_id: latest(({ user_id }) => user_id !== "")?.user_id ?? "",
    last_type: last?.type ?? "",
    last_event: last?.event ?? "",
    last_properties: Array.from(properties).length > 16_384 ? "" : properties,
    ...named("first", own[0]),
    ...named("last", signals.at(-1) ?? own.at(-1)),
  };
}

/** The visitor of the event came by the touch, on the same day or up to 30 days before it. */
function reaches(event: OracleEvent, { visitors, day }: Touch): boolean {
  const days = numberOfDay(event.timestamp) - day;
  return visitors.has(visitorOf(event)) && days >= 0 && days <= REACH_DAYS;
}

const NOT_PAID = { paid_source: "", click_id: "" };

function touchesOf(project: string, events: readonly OracleEvent[]): Touch[] {
  const hash = createHasher();
  const all = { projects: [project], from: "1970-01-01", to: "2149-01-01" };
  return sessionsOf(events, all).flatMap(({ events: members, firstTouch }) => {
    const sorted = members.toSorted((a, b) => (isEarlier(a, b) ? -1 : 1));
    const [first] = sorted;
    if (first === undefined) return [];
    const { paid_source, click_id } = sorted.find((event) => event.paid_source !== "") ?? NOT_PAID;
    const hasSignal =
      firstTouch.acquisition !== "Direct" || paid_source !== "" || SIGNALS.some((name) => firstTouch[name] !== "");
    if (!hasSignal && firstTouch.origin === "") return [];
    const day = numberOfDay(first.timestamp);
    const { session } = hash({
      projectId: "",
      dedupeDay: "",
      messageId: "",
      day,
      sessionId: first.session_id,
      anonymousId: first.anonymous_id,
      userId: first.user_id,
      address: first.address,
    });
    return {
      visitors: new Set(members.map(visitorOf)),
      day,
      startMs: first.timestamp,
      // Sessions that begin in the same millisecond: any fixed order works if both sides use the same.
      tie: session % 1048576n,
      hasSignal,
      texts: {
        ...Object.fromEntries(TOUCH_TEXTS.map((name) => [name, firstTouch[name]])),
        channel: firstTouch.acquisition,
        paid_source,
        click_id,
      },
    };
  });
}

function inOrder(a: Touch, b: Touch): number {
  return a.startMs - b.startMs || Number(a.tie - b.tie);
}

function named(which: string, touch: Touch | undefined): Record<string, string> {
  const names = [...TOUCH_TEXTS, "channel", "paid_source", "click_id"];
  return Object.fromEntries(names.map((name) => [`${which}_${name}`, touch?.texts[name] ?? ""]));
}

function sessionOf(event: OracleEvent): string {
  const name = event.session_id === "" ? ["visitor", visitorOf(event)] : ["client", event.session_id];
  return JSON.stringify([numberOfDay(event.timestamp), ...name]);
}

function isTransaction({ type, properties }: OracleEvent): boolean {
  const others: unknown[] = ["started", "confirmed", "reverted", "rejected"];
  return type === "transaction" && !others.includes(properties?.status);
}

function isSignature({ type, properties }: OracleEvent): boolean {
  const others: unknown[] = ["requested", "rejected"];
  return type === "signature" && !others.includes(properties?.status);
}

function sum(events: readonly OracleEvent[], amountOf: (event: OracleEvent) => number): number {
  return Number(events.reduce((total, event) => total + BigInt(Math.round(amountOf(event) * 1e9)), 0n)) / 1e9;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].filter((value) => value !== "").sort(compareBytes);
}
