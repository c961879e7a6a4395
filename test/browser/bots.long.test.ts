/** Bots are left out of a new project's numbers, and the page says how many and which: the same as the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { full } from "../../dashboard/src/format/numbers.ts";
import { sampleEvent } from "../support/events.ts";
import { type DashboardService, startDashboard, visits } from "./dashboard-service.ts";
import { LOCALE, lastDays } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, readTable, readTexts } from "./shown-rows.ts";

const BOTS = [
  ...Array.from({ length: 5 }, () => "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"),
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/142.0.0.0 Safari/537.36",
  "curl/8.5.0",
];

describe("bots, in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDashboard();
    const bots = BOTS.map((user_agent, index) => {
      const context = JSON.stringify({ page_url: "https://app.example.com/swap", user_agent });
      return sampleEvent(`bot-${index}`, { anonymous_id: `bot-${index}`, context });
    });
    await site.send([...visits(), ...bots]);
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  const line = (page: Page) => page.locator(".bots-line");

  async function expectVisitors(page: Page, bots: "include" | "exclude"): Promise<void> {
    await settle(page);
    await expectShown(
      `visitors, bots: ${bots}`,
      async () => (await readTexts(page.locator(".headline-card"), [".headline-value"])).slice(0, 1),
      async () => {
        const [row] = (await ask(site, "/v0/kpis", { ...lastDays(28), interval: "all", bots })).data;
        return [[full(Number(row?.visitors), "count")]];
      },
    );
  }

  test("a line says how many are left out, shows them by one click and names them with their reasons", async () => {
    await site.withPage(LOCALE, async (page) => {
      await page.goto(`${site.service.apiUrl}/app`);
      await expectVisitors(page, "exclude");
      const filters = JSON.stringify([{ field: "device", op: "eq", value: "bot" }]);
      const only = { ...lastDays(28), bots: "include", filters };
      const [row] = (await ask(site, "/v0/kpis", { ...only, interval: "all" })).data;
      assert.equal(row?.visitors, BOTS.length);
      await line(page).getByText(`${BOTS.length} bots left out`).waitFor();

      await line(page).getByRole("button", { name: "which ones?" }).click();
      await expectShown(
        "the bots",
        async () =>
          (await readTable(page.getByRole("dialog", { name: "Bots of this view" }))).map(([name, , visitors]) => [
            (name ?? "").toLowerCase(),
            visitors ?? "",
          ]),
        async () =>
          (await ask(site, "/v0/top_sources", { ...only, metric_column: "browser" })).data.map((bot) => [
            String(bot.browser),
            full(Number(bot.visitors), "count"),
          ]),
      );
      const shown = await readTable(page.getByRole("dialog", { name: "Bots of this view" }));
      assert.deepEqual(
        shown.map(([name, reason]) => [name?.toLowerCase(), reason]),
        [
          ["ahrefsbot", "A crawler that names itself"],
          ["curl", "A script"],
          ["headlesschrome", "A browser that a program drives"],
        ],
      );
      await page.keyboard.press("Escape");

      await line(page).getByRole("button", { name: "show" }).click();
      await page.waitForURL(/bots=include/);
      await expectVisitors(page, "include");
      await line(page).getByText(`${BOTS.length} bots counted as visitors`).waitFor();
      await page.reload();
      await expectVisitors(page, "include");
      await line(page).getByRole("button", { name: "leave them out" }).click();
      await page.waitForURL((url) => !url.search.includes("bots"));
      await expectVisitors(page, "exclude");
    });
  });
});
