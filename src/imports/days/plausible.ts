/**
 * Plausible's export of a site: tables of sums by day, `imported_<table>_<from>_<to>.csv`. Each becomes the sums of one
 * of our columns, or of several, as `sources` does. Dates are days of the site's time zone, and stay as they are.
 */
import { countryCode, osWord, shown, textOf } from "../from/fields.ts";
import type { NativeRow } from "../imported-event.ts";

/** The name of the product in the list of imports. */
export const DAYS_SOURCE = "plausible";

export interface DayCounts {
  readonly visitors: number;
  readonly visits: number;
  readonly pageviews: number;
  readonly bounces: number;
  readonly duration_ms: number;
}

/** A sum of a day under a value of a column. */
export interface DaySum extends DayCounts {
  readonly dimension: string;
  readonly day: string;
  readonly value: string;
  readonly detail: string;
}

/** What is wrong with a row, for the person who has the file. */
export class WrongDay extends Error {
  override readonly name = "WrongDay";
}

type Place = readonly [dimension: string, value: string, detail?: string];

interface Table {
  /** Under what a row counts. */
  places(row: NativeRow): readonly Place[];
  /** Where the table has other names for counts. */
  readonly visits?: string;
  readonly pageviews?: string;
}

const text = (row: NativeRow, name: string): string => {
  const value = row[name];
  if (typeof value !== "string") throw new WrongDay(`it has no column ${name}`);
  return value;
};
const UTM = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"] as const;
const BROWSERS: Readonly<Record<string, string>> = { "microsoft edge": "edge", "samsung browser": "samsung" };

const TABLES: Readonly<Record<string, Table>> = {
  visitors: { places: () => [["total", ""]] },
  sources: { places: sourcePlaces },
  pages: { places: (row) => [["page", text(row, "hostname"), text(row, "page")]] },
  entry_pages: { places: (row) => [["entry_page", "", text(row, "entry_page")]], visits: "entrances" },
  exit_pages: { places: (row) => [["exit_page", "", text(row, "exit_page")]], visits: "exits" },
  locations: { places: (row) => [["location", countryCode(text(row, "country"))]] },
  devices: { places: (row) => [["device", deviceWord(text(row, "device"))]] },
  browsers: { places: (row) => [["browser", browserWord(text(row, "browser"))]] },
  operating_systems: { places: (row) => [["os", osWord(text(row, "operating_system"))]] },
  custom_events: { places: (row) => [["custom_event", "track", text(row, "name")]], pageviews: "events" },
};

/** Tables that say nothing that a report asks for. */
const LEFT_OUT: readonly string[] = ["custom_props"];

const FILE = /(?:^|\/)imported_([a-z_]+?)_(\d{8})_(\d{8})\.csv$/;

/** The table of a file by its name; undefined for one that is left out, null for a name that Plausible does not give. */
export function findTable(fileName: string): Table | undefined | null {
  const name = FILE.exec(fileName)?.[1];
  if (name === undefined) return null;
  return TABLES[name] ?? (LEFT_OUT.includes(name) ? undefined : null);
}

/** Whether it is the table of all visits of a day. */
export function isTotals(fileName: string): boolean {
  return FILE.exec(fileName)?.[1] === "visitors";
}

/** Older days are mistakes, as those of events. ClickHouse would store a day before 1970 or after 2149 as another one. */
const [FIRST_DAY, LAST_DAY] = ["2000-01-01", "2099-12-31"];

export function readSums(table: Table, row: NativeRow): DaySum[] {
  const day = text(row, "date");
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || new Date(day).toJSON()?.slice(0, 10) !== day)
    throw new WrongDay(`date is ${shown(day)}, and a day such as 2024-01-31 was expected`);
  if (day < FIRST_DAY || day > LAST_DAY) throw new WrongDay(`date is ${day}, which is no day of a visit`);
  const counts = {
    visitors: count(row, "visitors"),
    visits: count(row, table.visits ?? "visits"),
    pageviews: count(row, table.pageviews ?? "pageviews"),
    bounces: count(row, "bounces"),
    duration_ms: count(row, "visit_duration") * 1000,
  };
  return table.places(row).map(([dimension, value, detail = ""]) => ({ dimension, day, value, detail, ...counts }));
}

/** A table need not have all counts: an older export of pages has no visits, and events have no bounces. */
function count(row: NativeRow, name: string): number {
  const value = row[name];
  if (value === undefined || value === "") return 0;
  if (typeof value !== "string" || !/^\d{1,12}$/.test(value))
    throw new WrongDay(`${name} is ${shown(textOf(value))}, and a whole number was expected`);
  return Number(value);
}

/** A visit without a referrer is Direct, as in our own reports; a source without one keeps its name. */
function sourcePlaces(row: NativeRow): Place[] {
  const [host = ""] = text(row, "referrer").split("/");
  const referrer = host || text(row, "source");
  return [
    ["referrer", referrer === "" || referrer === "Direct / None" ? "Direct" : referrer.toLowerCase()],
    ...UTM.map((name) => [name, text(row, name)] as const),
  ];
}

function deviceWord(name: string): string {
  const lower = name.toLowerCase();
  return lower === "laptop" ? "desktop" : lower;
}

function browserWord(name: string): string {
  const lower = name.toLowerCase();
  return BROWSERS[lower] ?? lower;
}
