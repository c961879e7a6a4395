/** The state of a page is its URL: every choice is a search parameter, so a link, a reload and "back" show the same. */
import { isDay } from "../format/days.ts";
import { INTERVALS, type Interval } from "../format/range.ts";
import { filterText, parseFilter } from "./filters.ts";
import { type Comparison, isComparison, isPeriodName, type PeriodName } from "./period.ts";

/** Parameters that all pages of a project share. Left out where they have their default. */
export interface ViewSearch {
  project?: string | undefined;
  period?: PeriodName | undefined;
  from?: string | undefined;
  to?: string | undefined;
  compare?: Comparison | undefined;
  cfrom?: string | undefined;
  cto?: string | undefined;
  /** Filters, `field.op.value` each. */
  f?: string[] | undefined;
  /** The id of a saved segment, beside the filters. */
  segment?: string | undefined;
  interval?: Interval | undefined;
  /** Whether bots count, other than the project is set. */
  bots?: "include" | "exclude" | undefined;
  /** Days that another product counted are left out. */
  imported?: "false" | undefined;
}

export const VIEW_KEYS = [
  "project",
  "period",
  "from",
  "to",
  "compare",
  "cfrom",
  "cto",
  "f",
  "segment",
  "interval",
  "bots",
  "imported",
] as const satisfies readonly (keyof ViewSearch)[];

export type RawSearch = Record<string, unknown>;

/** Keeps what is valid: an old or mistyped link still shows a page. */
export function readViewSearch(raw: RawSearch): ViewSearch {
  const days = (from: unknown, to: unknown) => (isDay(from) && isDay(to) && from <= to ? { from, to } : undefined);
  const range = days(raw.from, raw.to);
  const compared = days(raw.cfrom, raw.cto);
  const filters = texts(raw.f).flatMap((text) => {
    const filter = parseFilter(text);
    return filter === undefined ? [] : [filterText(filter)];
  });
  return clean({
    project: text(raw.project),
    period: isPeriodName(raw.period) ? raw.period : undefined,
    from: range?.from,
    to: range?.to,
    compare: isComparison(raw.compare) ? raw.compare : undefined,
    cfrom: compared?.from,
    cto: compared?.to,
    f: filters.length > 0 ? filters : undefined,
    segment: text(raw.segment),
    interval: INTERVALS.find((interval) => interval === raw.interval),
    bots: oneOf(["include", "exclude"], raw.bots),
    imported: oneOf(["false"], raw.imported),
  });
}

/** A parameter's text, or nothing. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string" && one !== "");
}

/** One of a list of names, or nothing. */
export function oneOf<const T extends string>(names: readonly T[], value: unknown): T | undefined {
  return names.find((name) => name === value);
}

function clean<T extends object>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T;
}

/** `?a=1&f=x&f=y`: a repeated name is a list. The router's own format would write strings as quoted JSON. */
export function parseSearch(query: string): RawSearch {
  const search: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const known = search[name];
    search[name] = known === undefined ? value : [...texts(known), value];
  }
  return search;
}

export function stringifySearch(search: RawSearch): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) for (const one of texts(value)) parameters.append(name, one);
  const query = readable(parameters.toString());
  return query === "" ? "" : `?${query}`;
}

/** These are allowed in a query as they are, and paths in links stay readable. */
function readable(query: string): string {
  return query.replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%7C", "|");
}
