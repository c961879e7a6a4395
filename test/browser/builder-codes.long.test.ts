/** From a builder code in its card to the people behind it: the same numbers on the screen and in the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { full } from "../../dashboard/src/format/numbers.ts";
import type { DashboardService } from "./dashboard-service.ts";
import { LOCALE, lastDays, startDemoSite } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, readRanked, readTexts } from "./shown-rows.ts";

describe("builder codes, in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDemoSite();
  });
  after(() => site.stop());

  const card = (page: Page) => page.locator("section.panel[aria-label='Sources: Builder codes']");

  test("a click on a code keeps the visitors who sent it, and card, filter and list of values agree", async () => {
    await site.withPage(LOCALE, async (page) => {
      await page.goto(`${site.service.apiUrl}/app?sources=builder_codes`);
      await settle(page);
      await card(page)
        .getByRole("button", { name: /counted by/ })
        .click();
      await page.getByRole("menuitemradio", { name: "Revenue", exact: true }).click();
      await settle(page);
      const rows = await readRanked(card(page));
      // "harbor,tidepool" is no code, but two.
      const codes = namesOf(rows).filter((name) => name !== "(none)");
      assert.deepEqual(codes, ["harbor", "lagoon", "tidepool"]);
      const [, revenue = ""] = rows.find(([name]) => name === "tidepool") ?? [];
      await card(page).getByRole("button", { name: "tidepool" }).click();
      await page.waitForURL(/f=builder_codes\.eq\.tidepool/);
      await settle(page);
      const filters = JSON.stringify([{ field: "builder_codes", op: "eq", value: "tidepool" }]);
      const view = { ...lastDays(28), filters };
      await expectShown(
        "the headline of the code",
        async () => (await readTexts(page.locator(".headline-card"), [".headline-value"])).slice(0, 2),
        async () => {
          const [row] = (await ask(site, "/v0/kpis", { ...view, interval: "all" })).data;
          return [[full(Number(row?.visitors), "count")], [full(Number(row?.sessions), "count")]];
        },
      );
      const [visitors = ""] = (await readTexts(page.locator(".headline-card"), [".headline-value"]))[0] ?? [];
      assert.notEqual(visitors, "0");
      const { data } = await ask(site, "/v0/revenue_by_metric", { ...view, metric_column: "device", limit: "1000" });
      const sum = data.reduce((all, row) => all + Number(row.sum_revenue), 0);
      assert.equal(full(sum, "amount"), revenue, "the card's amount is that of the filtered events");
      // The card keeps its other codes to choose from.
      assert.deepEqual(namesOf(await readRanked(card(page))), namesOf(rows));
      await page.getByRole("button", { name: "Add a filter" }).click();
      await page.getByRole("dialog", { name: "Filter" }).getByLabel("Field").selectOption("builder_codes");
      await page.getByRole("dialog", { name: "Filter" }).getByLabel("Value").focus();
      await expectShown(
        "the values to choose from",
        () =>
          page.locator(".combo-option").evaluateAll((all) => all.map((one) => [one.getAttribute("data-value") ?? ""])),
        async () =>
          (await ask(site, "/v0/distinct_values", { ...lastDays(28), field: "builder_codes" })).data.map(
            ({ value }) => [String(value)],
          ),
      );
    });
  });
});

function namesOf(rows: readonly string[][]): string[] {
  return rows.map(([name = ""]) => name).toSorted();
}
