import type { ReportName } from "../../../../src/contract/reports.ts";
import type { DefinitionName } from "../../format/definitions.ts";
import type { Format } from "../../format/numbers.ts";
import { propertyField } from "../../state/filters.ts";

/** What the rows of a card are counted by: columns of the report `breakdown`. */
export const CARD_MEASURES = {
  visitors: { label: "Visitors", format: "count" },
  sessions: { label: "Sessions", format: "count" },
  hits: { label: "Page views", format: "count" },
  wallets: { label: "Wallets", format: "count" },
  transacting_wallets: { label: "Transacting wallets", format: "count" },
  conversion: { label: "Conversion", format: "percent" },
  volume: { label: "Volume", format: "amount" },
  revenue: { label: "Revenue", format: "amount" },
  revenue_per_wallet: { label: "Revenue per wallet", format: "amount" },
} as const satisfies Record<string, { label: string; format: Format }>;
export type CardMeasure = keyof typeof CARD_MEASURES;
export const CARD_MEASURE_NAMES = Object.keys(CARD_MEASURES) as readonly CardMeasure[];

export interface Tab {
  id: string;
  label: string;
  /** The column of the rows, which also names how a value is shown. */
  column: string;
  /** `metric_column` of the report `breakdown`. */
  breakdown: string;
  /** The first is shown unless another one is chosen. */
  measures: readonly CardMeasure[];
  /** The report that answers the first measure from rollups, in its own order. */
  quick?: { report: ReportName; query?: Record<string, string> };
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

const ONCHAIN = ["wallets", "transacting_wallets", "conversion", "volume", "revenue", "revenue_per_wallet"] as const;
const VISITS: readonly CardMeasure[] = ["visitors", "sessions", "hits", ...ONCHAIN];
const WITHOUT_VIEWS: readonly CardMeasure[] = ["visitors", "sessions", ...ONCHAIN];
const ENDS: readonly CardMeasure[] = ["sessions", "hits", "visitors", ...ONCHAIN];
const EVENTS: readonly CardMeasure[] = ["hits", "visitors", "sessions", ...ONCHAIN];

const touch = (column: string, label: string): Tab => ({
  id: column,
  label,
  column,
  breakdown: column,
  measures: VISITS,
  quick: { report: "top_sources", query: { metric_column: column } },
  filter: column,
});

const pages = (mode: "all" | "entry" | "exit", label: string): Tab => ({
  id: mode,
  label,
  column: "pathname",
  breakdown: mode === "all" ? "page" : `${mode}_page`,
  measures: mode === "all" ? VISITS : ENDS,
  quick: { report: "top_pages", query: { mode } },
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
        breakdown: "builder_codes",
        measures: WITHOUT_VIEWS,
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
        breakdown: "chain_id",
        measures: WITHOUT_VIEWS,
        quick: { report: "top_chains" },
        filter: "chain_id",
      },
      {
        id: "rdns",
        label: "Wallets",
        column: "rdns",
        breakdown: "rdns",
        measures: WITHOUT_VIEWS,
        quick: { report: "top_wallets" },
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
        breakdown: "location",
        measures: VISITS,
        quick: { report: "top_locations" },
        filter: "location",
        map: true,
      },
      {
        id: "location",
        label: "Countries",
        column: "location",
        breakdown: "location",
        measures: VISITS,
        quick: { report: "top_locations" },
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
        breakdown: "event",
        measures: EVENTS,
        quick: { report: "top_events" },
        hits: "Events",
        filter: "event",
      },
      {
        id: "custom",
        label: "Custom",
        column: "event",
        breakdown: "custom_event",
        measures: EVENTS,
        quick: { report: "top_events", query: { type: "custom" } },
        hits: "Events",
        filter: "event",
      },
    ],
  },
];

/** The values of a property of events, a tab for each: which ones there are, the events say. */
export function propertiesCard(names: readonly string[]): Card {
  return {
    id: "properties",
    title: "Properties",
    counted: "events",
    shown: 3,
    tabs: names.map((name) => ({
      id: name,
      label: name,
      column: "value",
      breakdown: propertyField(name),
      measures: EVENTS,
      hits: "Events",
      filter: propertyField(name),
    })),
  };
}

/** The measure that a tab shows: the one that was chosen for all cards, or its own first. */
export function measureOf({ measures }: Tab, wanted: CardMeasure | undefined): CardMeasure {
  return measures.find((name) => name === wanted) ?? measures[0] ?? "visitors";
}

/** Counted by other rules than visits. */
export function isOnchain(measure: CardMeasure): boolean {
  return ONCHAIN.some((name) => name === measure);
}

export function measureLabel(tab: Tab, measure: CardMeasure): string {
  return measure === "hits" && tab.hits !== undefined ? tab.hits : CARD_MEASURES[measure].label;
}
