/** What the screen shows and what the API answers, both as rows of texts that can be compared. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { valueName } from "../../dashboard/src/format/names.ts";
import { type Format, full } from "../../dashboard/src/format/numbers.ts";
import { waitFor } from "../support/wait.ts";
import type { DashboardService } from "./dashboard-service.ts";

export type Query = Readonly<Record<string, string>>;
export type Row = Readonly<Record<string, string | number | null>>;

/** Asks as a script would, with a key. */
export async function ask<T = { data: readonly Row[] }>(
  { service, credentials }: DashboardService,
  path: string,
  query: Query,
): Promise<T> {
  const url = new URL(path, service.apiUrl);
  for (const [name, value] of Object.entries({ project_id: credentials.projectId, ...query })) {
    url.searchParams.set(name, value);
  }
  const answer = await fetch(url, { headers: { authorization: `Bearer ${credentials.apiKey}` } });
  const text = await answer.text();
  assert.equal(answer.status, 200, `${url.href}: ${text}`);
  return JSON.parse(text) as T;
}

/** What these tests read of an element; the types of a browser are not those of this process. */
export interface PageElement {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** All of it in one step: a list that is drawn again meanwhile would be read in two halves. */
export function readTexts(rows: Locator, parts: readonly string[]): Promise<string[][]> {
  return rows.evaluateAll(
    (elements, selectors) =>
      (elements as unknown as PageElement[]).map((element) =>
        selectors.map((selector) => {
          const part = element.querySelector(selector);
          return (part?.getAttribute("title") ?? part?.textContent ?? "").trim();
        }),
      ),
    parts,
  );
}

/** The rows of a card: names, and the complete numbers behind the short ones. */
export function readRanked(panel: Locator): Promise<string[][]> {
  return readTexts(panel.locator(".ranked > li"), [".ranked-name > span:last-child", ".ranked-value"]);
}

export function readTable(table: Locator): Promise<string[][]> {
  return table
    .locator("tbody tr")
    .evaluateAll((rows) =>
      (rows as unknown as PageElement[]).map((row) =>
        [...row.querySelectorAll("th, td")].map((cell) => (cell.textContent ?? "").trim()),
      ),
    );
}

/** Waits until the screen shows what the API answers: the day, or a poll, may change between two looks. */
export async function expectShown(
  what: string,
  shown: () => Promise<readonly string[][]>,
  expected: () => Promise<readonly string[][]>,
): Promise<void> {
  let [seen, wanted]: (readonly string[][])[] = [[], []];
  const isSame = async () => {
    [seen, wanted] = [await shown(), await expected()];
    return JSON.stringify(seen) === JSON.stringify(wanted);
  };
  try {
    await waitFor(what, isSame, WITHIN_MS);
  } catch {
    assert.deepEqual(seen, wanted, what);
  }
}

const WITHIN_MS = 10_000;

/** A tab of a card, as the API counts it. */
export interface TabAnswer {
  report: string;
  query?: Query;
  /** The column of the names. */
  column: string;
  /** `metric_column` of the breakdown that has all measures. */
  breakdown: string;
  /** Label and column; the first one is that of the report. */
  measures: readonly (readonly [label: string, column: string])[];
}

const SHOWN = 10;

/** The ten rows that a tab must show. */
export async function expectedRows(
  site: DashboardService,
  tab: TabAnswer,
  label: string,
  view: Query,
): Promise<string[][]> {
  const column = tab.measures.find(([name]) => name === label)?.[1];
  assert.ok(column, `${tab.breakdown} has no ${label}`);
  const { data } =
    label === tab.measures[0]?.[0]
      ? await ask(site, `/v0/${tab.report}`, { ...view, ...tab.query, limit: "1000" })
      : await askBreakdown(site, tab, { ...view, order_by: column });
  const value = (row: Row) => row[column] ?? null;
  return [...data]
    .sort((one, other) => Number(value(other) ?? -1) - Number(value(one) ?? -1))
    .slice(0, SHOWN)
    .map((row) => [nameOf(tab.column, row), numberText(value(row), column)]);
}

export function askBreakdown(site: DashboardService, tab: TabAnswer, query: Query) {
  return ask(site, "/v0/breakdown", { limit: "1000", ...query, metric_column: tab.breakdown });
}

const FORMATS: Readonly<Record<string, Format>> = {
  conversion: "percent",
  volume: "amount",
  revenue: "amount",
  revenue_per_wallet: "amount",
};

export function numberText(value: unknown, column: string): string {
  return typeof value === "number" ? full(value, FORMATS[column] ?? "count") : "–";
}

/** The demo has one site, so that a page is its path. */
export function nameOf(column: string, row: Row): string {
  const value = String(row[column] ?? "");
  if (column === "pathname") return value || (row.origin === "" ? "(none)" : "/");
  if (column === "event" && value === "" && row.type !== undefined) return valueName("type", String(row.type));
  return valueName(column, value);
}
