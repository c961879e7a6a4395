/** Boards of a dashboard under test: made by the API, looked at in the browser. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { DashboardService } from "./dashboard-service.ts";
import { lastDays } from "./demo-site.ts";
import { settle } from "./settle.ts";
import type { Query, Row } from "./shown-rows.ts";

export type BoardSite = DashboardService;

/** The period of a page without one in its URL. */
export const SHOWN_DAYS = 28;

export async function callApi<T>(
  { service, credentials }: BoardSite,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await fetch(`${service.apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${credentials.apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

export async function makeBoard(site: BoardSite, title: string, more: object = {}): Promise<string> {
  const body = { title, project_id: site.credentials.projectId, ...more };
  return (await callApi<{ id: string }>(site, "POST", "/v0/boards", body)).id;
}

/** The ids of the charts, in their order. */
export async function addCharts(site: BoardSite, board: string, charts: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  for (const chart of charts)
    ids.push((await callApi<{ id: string }>(site, "POST", `/v0/boards/${board}/charts`, chart)).id);
  return ids;
}

export interface SpecChart {
  id: string;
  title: string;
  chart_type: string;
  x_axis: string | null;
  y_axis: readonly string[] | null;
  group_by: string | null;
  settings: { layout?: { width?: number; height?: number }; [name: string]: unknown } | null;
}

export async function chartsOf(site: BoardSite, board: string): Promise<readonly SpecChart[]> {
  const path = `/v0/boards/${board}/charts?include=spec`;
  return (await callApi<{ data: readonly SpecChart[] }>(site, "GET", path)).data;
}

/** What the API answers for the days that the page shows. */
export async function resultsOf(
  site: BoardSite,
  board: string,
  chart: string | undefined,
  days: Query = lastDays(SHOWN_DAYS),
): Promise<readonly Row[]> {
  const query = new URLSearchParams({ include: "results", ...days });
  const path = `/v0/boards/${board}/charts/${chart}?${query.toString()}`;
  return (await callApi<{ results: { data: readonly Row[] } }>(site, "GET", path)).results.data;
}

export async function openBoard(site: BoardSite, page: Page, board: string, more = ""): Promise<void> {
  await page.goto(`${site.service.apiUrl}/app/boards/board?board=${board}${more}`);
  await page.locator(".board-item, .board-page .state, .chart-editor").first().waitFor();
  await settle(page);
}
