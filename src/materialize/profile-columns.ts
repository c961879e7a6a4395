/** The columns of profiles, shared by their SQL, the schemas of both engines and what reads them. */
import { ARRIVAL_COLUMNS } from "../contract/metric-columns.ts";

/** How a visitor arrived: the columns of a touch, which a profile has twice. */
export const TOUCH_COLUMNS = [...ARRIVAL_COLUMNS, "channel", "paid_source", "click_id"] as const;

type TouchColumn = (typeof TOUCH_COLUMNS)[number];
type OfTouch<Which extends string> = `${Which}_${TouchColumn}`;

const ofTouch = <Which extends string>(which: Which) =>
  TOUCH_COLUMNS.map((name) => `${which}_${name}` as const) as OfTouch<Which>[];

/** Column -> its kind. Money is exact to a billionth; times are milliseconds since 1970. */
export const PROFILE_KINDS = {
  project_id: "text",
  address: "text",
  first_seen_ms: "integer",
  last_seen_ms: "integer",
  sessions: "integer",
  events: "integer",
  transactions: "integer",
  signatures: "integer",
  revenue: "money",
  volume: "money",
  points: "money",
  chains: "texts",
  activity_days: "days",
  device: "text",
  browser: "text",
  os: "text",
  location: "text",
  user_id: "text",
  last_type: "text",
  last_event: "text",
  last_properties: "text",
  ...(Object.fromEntries(ofTouch("first").map((name) => [name, "text"])) as Record<OfTouch<"first">, "text">),
  ...(Object.fromEntries(ofTouch("last").map((name) => [name, "text"])) as Record<OfTouch<"last">, "text">),
} as const;

export type ProfileColumn = keyof typeof PROFILE_KINDS;

/** The columns of the relation `profiles`, in order. */
export const PROFILE_COLUMNS = Object.keys(PROFILE_KINDS) as readonly ProfileColumn[];

/** A touch counts for a wallet if its visitor has an event with the wallet on the same day or so many days later. */
export const TOUCH_DAYS = 30;
