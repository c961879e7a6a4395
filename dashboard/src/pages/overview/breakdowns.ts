import type { DefinitionName } from "../../format/definitions.ts";
import type { Format } from "../../format/numbers.ts";

/** What the rows of a card are counted by. */
export const CARD_MEASURES = {
  visitors: { label: "Visitors", format: "count" },
  sessions: { label: "Sessions", format: "count" },
  hits: { label: "Page views", format: "count" },
  revenue: { label: "Revenue", format: "amount" },
  volume: { label: "Volume", format: "amount" },
} as const satisfies Record<string, { label: string; format: Format }>;
export type CardMeasure = keyof typeof CARD_MEASURES;
export const CARD_MEASURE_NAMES = Object.keys(CARD_MEASURES) as readonly CardMeasure[];

export interface Tab {
  id: string;
  label: string;
  /** The column of the rows, which also names how a value is shown. */
  column: string;
  /** The report with visitors, sessions and page views; without one the tab has only money. */
  visits?: { report: string; query?: Record<string, string>; measures: readonly CardMeasure[] };
  /** `metric_column` of revenue_by_metric and volume_by_metric. */
  money?: string;
  /** The filter that a click on a row sets. */
  filter?: string;
  /** What `hits` are called here. */
  hits?: string;
  /** Drawn as a map instead of a list. */
  map?: boolean;
}

export interface Card {
  /** Also the parameter of the URL that holds the open tab. */
  id: string;
  title: string;
  counted: DefinitionName;
  /** As many tabs are shown as words, the others in a menu. */
  shown: number;
  tabs: readonly Tab[];
}

const VISITS: readonly CardMeasure[] = ["visitors", "sessions", "hits"];
const FEW: readonly CardMeasure[] = ["visitors", "sessions"];

const touch = (column: string, label: string): Tab => ({
  id: column,
  label,
  column,
  visits: { report: "top_sources", query: { metric_column: column }, measures: VISITS },
  money: column,
  filter: column,
});

const pages = (mode: "all" | "entry" | "exit", label: string): Tab => ({
  id: mode,
  label,
  column: "pathname",
  visits: { report: "top_pages", query: { mode }, measures: mode === "all" ? VISITS : ["sessions", "hits"] },
  ...(mode === "all" ? { money: "pathname" } : {}),
  filter: "page",
});

export const CARDS: readonly Card[] = [
  {
    id: "sources",
    title: "Sources",
    counted: "sources",
    shown: 3,
    tabs: [
      touch("channel", "Channels"),
      touch("referrer", "Referrers"),
      touch("utm_campaign", "Campaigns"),
      touch("utm_source", "UTM sources"),
      touch("utm_medium", "UTM media"),
      touch("utm_content", "UTM contents"),
      touch("utm_term", "UTM terms"),
      touch("ref", "Refs"),
      touch("referrer_url", "Referrer URLs"),
      {
        id: "builder_codes",
        label: "Builder codes",
        column: "builder_codes",
        money: "builder_codes",
        filter: "builder_codes",
      },
    ],
  },
  {
    id: "pages",
    title: "Pages",
    counted: "pages",
    shown: 4,
    tabs: [pages("all", "Pages"), pages("entry", "Entry"), pages("exit", "Exit"), touch("origin", "Sites")],
  },
  {
    id: "chains",
    title: "Chains and wallets",
    counted: "chains",
    shown: 2,
    tabs: [
      {
        id: "chain_id",
        label: "Chains",
        column: "chain_id",
        visits: { report: "top_chains", measures: FEW },
        money: "chain_id",
        filter: "chain_id",
      },
      {
        id: "rdns",
        label: "Wallets",
        column: "rdns",
        visits: { report: "top_wallets", measures: FEW },
        money: "rdns",
      },
    ],
  },
  {
    id: "places",
    title: "Places",
    counted: "places",
    shown: 2,
    tabs: [
      {
        id: "map",
        label: "Map",
        column: "location",
        visits: { report: "top_locations", measures: VISITS },
        money: "location",
        filter: "location",
        map: true,
      },
      {
        id: "location",
        label: "Countries",
        column: "location",
        visits: { report: "top_locations", measures: VISITS },
        money: "location",
        filter: "location",
      },
    ],
  },
  {
    id: "devices",
    title: "Devices",
    counted: "devices",
    shown: 3,
    tabs: [touch("device", "Devices"), touch("browser", "Browsers"), touch("os", "Systems")],
  },
  {
    id: "events",
    title: "Events",
    counted: "events",
    shown: 2,
    tabs: [
      {
        id: "all-events",
        label: "Events",
        column: "event",
        visits: { report: "top_events", measures: ["hits"] },
        hits: "Events",
        money: "event",
        filter: "event",
      },
      {
        id: "custom",
        label: "Custom",
        column: "event",
        visits: { report: "top_events", query: { type: "custom" }, measures: ["hits"] },
        hits: "Events",
        money: "event",
        filter: "event",
      },
    ],
  },
];

/** The measure that a tab can show, closest to the one that was chosen for all cards. */
export function measureOf(tab: Tab, wanted: CardMeasure): CardMeasure {
  const possible = measuresOf(tab);
  return possible.includes(wanted) ? wanted : (possible[0] ?? wanted);
}

export function measuresOf(tab: Tab): readonly CardMeasure[] {
  return [...(tab.visits?.measures ?? []), ...(tab.money === undefined ? [] : (["revenue", "volume"] as const))];
}

export function measureLabel(tab: Tab, measure: CardMeasure): string {
  return measure === "hits" && tab.hits !== undefined ? tab.hits : CARD_MEASURES[measure].label;
}
