/** The rows of a query in every chart that any rows can be drawn as: the same numbers on the screen and in the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { COLUMN_CHART_NAMES } from "../../dashboard/src/charts/column-charts.ts";
import { bucketMs, bucketText } from "../../dashboard/src/format/dates.ts";
import { full } from "../../dashboard/src/format/numbers.ts";
import { sampled } from "../../src/lib/testing.ts";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import type { DashboardService } from "./dashboard-service.ts";
import { LOCALE, startDemoSite } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { type Row, readRanked, readTable, readTexts } from "./shown-rows.ts";

const BY_TYPE = "SELECT type, count() AS events FROM events GROUP BY type ORDER BY events DESC, type LIMIT 20";
const BY_DAY =
  "SELECT toDate(timestamp) AS day, type, count() AS events, count(DISTINCT anonymous_id) AS visitors FROM events " +
  "WHERE type IN ('page', 'connect', 'transaction') GROUP BY day, type ORDER BY day, type LIMIT 1000";
const ONE = "SELECT count() AS events FROM events LIMIT 1";
const SERIES = ["connect", "page", "transaction"];

describe("charts of SQL in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDemoSite();
  });
  after(() => site.stop());

  async function ask(query: string): Promise<readonly Row[]> {
    const { service, credentials } = site;
    const url = `${service.apiUrl}/v0/query?project_id=${credentials.projectId}`;
    const headers = { authorization: `Bearer ${credentials.apiKey}`, "content-type": "application/json" };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) });
    assert.equal(answer.status, 200);
    return ((await answer.json()) as { data: Row[] }).data;
  }

  async function run(page: Page, query: string, more = ""): Promise<Locator> {
    await page.goto(`${site.service.apiUrl}/app/sql?q=${encodeURIComponent(query)}${more}`);
    await settle(page);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const result = page.locator('section[aria-label="Result"]');
    await result.getByLabel("Show as").waitFor();
    return result;
  }

  test("a table, bars and a pie have the rows of the answer, and the link keeps the choice", async () => {
    await site.withPage(LOCALE, async (page) => {
      const result = await run(page, BY_TYPE);
      const rows = await ask(BY_TYPE);
      assert.ok(rows.length > 2 && rows.length <= 8, `${rows.length} types`);
      const plain = rows.map(({ type, events }) => [String(type), String(events)]);
      assert.deepEqual(await readTable(result.locator("table")), plain);
      const shown = rows.map(({ type, events }) => [String(type), full(Number(events), "number")]);
      await result.getByLabel("Show as").selectOption("bar");
      await result.locator(".ranked-row").first().waitFor();
      assert.deepEqual(await readRanked(result), shown);
      await result.getByLabel("Show as").selectOption("pie");
      await page.waitForURL(/show=pie/);
      await result.locator(".pie-list li").first().waitFor();
      assert.deepEqual(await readTexts(result.locator(".pie-list li"), [".pie-name", ".pie-name + span"]), shown);
      assert.equal(await result.locator(".pie-slice").count(), rows.length);
      await result.getByRole("img", { name: `events by type. ${rows.length} parts, listed beside it.` }).waitFor();
      await page.reload();
      await settle(page);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await result.locator(".pie-list li").first().waitFor();
    });
  });

  test("lines, areas and stacked bars: the arrow keys read what the answer has for each day and group", async () => {
    const days = Map.groupBy(await ask(BY_DAY), ({ day }) => String(day));
    const expected = [...days].map(([day, rows]) => [
      bucketText(bucketMs(day), "day"),
      ...SERIES.map((type) => {
        const events = rows.find((row) => row.type === type)?.events;
        return events === undefined ? "–" : full(Number(events), "number");
      }),
    ]);
    assert.ok(expected.length > 10 && expected.some((texts) => texts.includes("–")), "some days lack a group");
    await site.withPage(LOCALE, async (page) => {
      for (const type of sampled(["line", "area", "stacked", "bar"], 1)) {
        const result = await run(page, BY_DAY, `&show=${type}`);
        const chart = result.getByRole("img", { name: `events by day and type. ${expected.length} points.` });
        await chart.focus();
        assert.deepEqual((await result.locator(".series-legend li").allTextContents()).sort(), SERIES, type);
        const seen: string[][] = [];
        for (let at = 0; at < expected.length; at += 1) {
          await page.keyboard.press("ArrowRight");
          const values = await readTexts(result.locator(".chart-tip"), ["strong"]);
          const series = await result
            .locator(".series-tip")
            .evaluateAll((tips) => tips.map((tip) => tip.textContent ?? ""));
          const byName = SERIES.map((name) => series.find((text) => text.startsWith(name))?.slice(name.length) ?? "");
          seen.push([values[0]?.[0] ?? "", ...byName]);
        }
        assert.deepEqual(seen, expected, type);
      }
    });
  });

  test("several columns of numbers are several series, a group takes one, and what lacks a column says so", async () => {
    await site.withPage(LOCALE, async (page) => {
      const result = await run(page, BY_DAY, "&show=line&group=-");
      const numbers = result.getByRole("group", { name: "Numbers" });
      await numbers.getByRole("button", { name: "visitors" }).click();
      assert.deepEqual(await result.locator(".series-legend li").allTextContents(), ["events", "visitors"]);
      await result.getByLabel("Grouped by").selectOption("type");
      await numbers.waitFor({ state: "detached" });
      assert.deepEqual((await result.locator(".series-legend li").allTextContents()).sort(), SERIES);
      await result.getByLabel("Show as").selectOption("stacked");
      await result.getByLabel("Grouped by").selectOption("");
      await result.getByText("Choose a column to group by").waitFor();
      await result.getByLabel("Show as").selectOption("number");
      await result.getByText("A number needs one row with one column.").waitFor();
    });
  });

  test("one cell is a number", async () => {
    await site.withPage(LOCALE, async (page) => {
      const result = await run(page, ONE, "&show=number");
      const [row] = await ask(ONE);
      await result.locator(".number-card").waitFor();
      const seen = await readTexts(result, [".number-card strong", ".number-card span"]);
      assert.deepEqual(seen, [[full(Number(row?.events), "number"), "events"]]);
    });
  });

  test("axe accepts each of them, light at 1280 px and dark at 390 px, and none is wider than the screen", async () => {
    await site.withPage(LOCALE, async (page) => {
      for (const type of sampled(COLUMN_CHART_NAMES, 2)) {
        const query = type === "number" ? ONE : type === "pie" ? BY_TYPE : BY_DAY;
        await page.setViewportSize({ width: 1280, height: 900 });
        const result = await run(page, query, `&show=${type}`);
        await result.locator("table, .number-card, .ranked, .chart > svg, .pie > svg").first().waitFor();
        for (const [colorScheme, width] of [
          ["light", 1280],
          ["dark", 390],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          await settle(page);
          await expectAccessible(page, `${type}, ${colorScheme}`, "main");
          await expectNoOverflow(page, `${type}, ${colorScheme}`);
        }
      }
    });
  });
});
