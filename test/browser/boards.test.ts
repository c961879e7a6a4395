/** A board in a real Chromium: what it shows is what the API answers. `boards.long.test.ts` has every type of chart. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { full } from "../../dashboard/src/format/numbers.ts";
import { waitFor } from "../support/wait.ts";
import { addCharts, type BoardSite, chartsOf, makeBoard, openBoard, resultsOf } from "./board-site.ts";
import { startDashboard, visits } from "./dashboard-service.ts";
import { LOCALE } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { readRanked, readTable } from "./shown-rows.ts";

/** Equal ones stand in any order. */
const byText = (one: readonly string[], other: readonly string[]) => String(one).localeCompare(String(other));

describe("a board in a real Chromium", () => {
  let site: BoardSite;
  before(async () => {
    site = await startDashboard();
    await site.send(visits());
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  test("shows the rows of the API, moves a chart by keys, and keeps the order", async () => {
    const board = await makeBoard(site, "Launch");
    const params = { metric_column: "channel", limit: 10 };
    const [visitors, channels, days] = await addCharts(site, board, [
      { chart_type: "number", title: "Visitors", report: "kpis", params: { interval: "all" }, y_axis: ["visitors"] },
      { chart_type: "bar", title: "Channels", report: "top_sources", params, x_axis: "channel", y_axis: ["visitors"] },
      { chart_type: "line", title: "Sessions", report: "kpis", x_axis: "date", y_axis: ["sessions"] },
    ]);
    await site.withPage(LOCALE, async (page) => {
      const chart = (title: string) => page.locator(`section[aria-label="${title}"]`);
      await openBoard(site, page, board);
      const [total] = await resultsOf(site, board, visitors);
      assert.equal(
        await chart("Visitors").locator(".number-card strong").textContent(),
        full(Number(total?.visitors), "count"),
      );
      const rows = await resultsOf(site, board, channels);
      const expected = rows.map(({ channel, visitors: count }) => [String(channel), full(Number(count), "count")]);
      assert.ok(expected.length > 1);
      assert.deepEqual((await readRanked(chart("Channels"))).sort(byText), expected.sort(byText));
      await page.getByRole("button", { name: "Sessions: more" }).click();
      await page.getByRole("menuitem", { name: "Show as table" }).click();
      const byDay = await resultsOf(site, board, days);
      assert.deepEqual(
        await readTable(chart("Sessions").locator("table")),
        byDay.map(({ date, sessions }) => [String(date), full(Number(sessions), "count")]),
      );
      await page.getByRole("button", { name: /^Move Visitors/ }).focus();
      await page.keyboard.press("Alt+ArrowRight");
      await page.getByRole("status").getByText("Visitors moved to place 2 of 3").waitFor();
      // The page says it at once, and the service is told afterwards.
      const first = async () => (await chartsOf(site, board))[0]?.title;
      await waitFor("the order to be saved", async () => (await first()) === "Channels");
      await page.reload();
      await settle(page);
      const titles = await page.locator(".board-item h2").allTextContents();
      assert.deepEqual(titles, ["Channels", "Visitors", "Sessions"]);
    });
  });
});
