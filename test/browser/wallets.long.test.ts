/** The pages of wallets in every state, theme and width, and the ways that lead to them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import { type DashboardService, startDashboard, visits } from "./dashboard-service.ts";
import { LOCALE } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, readTable } from "./shown-rows.ts";
import { expectWallets, findWallets, openApp } from "./wallet-site.ts";

const LOOKS = [
  ["light", 1280],
  ["dark", 390],
  ["dark", 1280],
  ["light", 390],
] as const;

describe("the pages of wallets", () => {
  let site: DashboardService;
  let richest = "";
  before(async () => {
    site = await startDashboard();
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  test("a project without wallets says so", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/wallets");
      await page.getByText("No wallets yet").waitFor();
      assert.ok(await page.getByRole("button", { name: "CSV" }).isDisabled());
      await expectAccessible(page, "no wallets");
    });
    await site.send(visits());
    richest = (await findWallets(site, { order_by: "revenue" })).data[0]?.address ?? "";
  });

  test("both pages are accessible, and fit in light and dark, on a phone and on a screen", async () => {
    for (const [colorScheme, width] of LOOKS) {
      await site.withPage({ ...LOCALE, colorScheme, viewport: { width, height: 900 } }, async (page) => {
        for (const path of [
          "/wallets?where=revenue.gt.0&where=location.notEmpty",
          `/wallets/wallet?address=${richest}`,
        ]) {
          await openApp(site, page, path);
          await expectAccessible(page, `${path} ${colorScheme} ${width}`);
          await expectNoOverflow(page, `${path} ${colorScheme} ${width}`);
        }
      });
    }
  });

  test("conditions find what the API finds, and those of sessions are saved as a segment", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/wallets");
      await page.getByRole("button", { name: "Condition", exact: true }).click();
      const form = page.getByRole("dialog", { name: "Condition" });
      await expectAccessible(page, "the form of a condition", "[role=dialog]");
      await form.getByLabel("Field").selectOption("revenue");
      await form.getByLabel("Condition").selectOption("gt");
      await form.getByLabel("Value").fill("0");
      await page.keyboard.press("Enter");
      await page.waitForURL(/where=revenue\.gt\.0/);
      await settle(page);
      const wanted = (await findWallets(site)).data.filter(({ revenue }) => revenue > 0).map(({ address }) => address);
      assert.ok(wanted.length > 0 && wanted.length < 12);
      await expectShown(
        "wallets with revenue",
        async () => [
          await page
            .locator(".wallet-table .address")
            .evaluateAll((all) => all.map((one) => one.getAttribute("title") ?? "")),
        ],
        async () => [wanted],
      );
      assert.equal(await page.getByRole("button", { name: "Save as segment" }).count(), 0);
      await page.getByRole("button", { name: "Remove: Revenue is over 0" }).click();
      await settle(page);
      await expectWallets(site, page);
      await openApp(site, page, "/wallets?where=location.eq.US");
      await page.getByRole("button", { name: "Save as segment" }).click();
      await page.getByLabel("Title").fill("From there");
      await page.getByRole("button", { name: "Save the segment" }).click();
      await page.getByRole("link", { name: "Show it in the overview" }).click();
      await page.waitForURL(/\/app\?.*segment=/);
      const [saved] = (await ask<{ data: { filters: unknown }[] }>(site, "/v0/segments", {})).data;
      assert.deepEqual(saved?.filters, [{ field: "location", op: "eq", value: "US" }]);
    });
  });

  test("nothing found, a wallet of nobody and a failure each say what to do", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/wallets?q=nobody");
      await page.getByRole("button", { name: "Show all wallets" }).click();
      await settle(page);
      await expectWallets(site, page);
      assert.equal(await page.getByLabel("Search wallets").inputValue(), "");
      for (const address of [`0x${"9".repeat(40)}`, "nobody", ""]) {
        await openApp(site, page, `/wallets/wallet?address=${address}`);
        await page.getByText("This project has no such wallet").waitFor();
      }
      await page.route(/\/v0\/profiles\//, (route) =>
        route.fulfill({ status: 422, json: { error: { code: "QUERY_FAILED", message: "It cannot be answered" } } }),
      );
      await openApp(site, page, "/wallets");
      await page.getByRole("alert").waitFor();
      await page.unroute(/\/v0\/profiles\//);
      await page.getByRole("button", { name: "Try again" }).click();
      await settle(page);
      await expectWallets(site, page);
    });
  });

  test("addresses in Activity, on Live and in the rows of SQL lead to the wallet's page", async () => {
    await site.withPage(LOCALE, async (page) => {
      const follow = async (selector: string) => {
        const link = page.locator(`${selector} .address a`).first();
        const title = await page.locator(`${selector} .address`).first().getAttribute("title");
        await link.click();
        await page.waitForURL(/\/app\/wallets\/wallet\?/);
        await page.locator(".wallet-name code", { hasText: title ?? "" }).waitFor();
      };
      await openApp(site, page, "/activity?type=connect");
      await follow(".event-list");
      await openApp(site, page, "/activity?type=connect");
      await page
        .locator(".event-row")
        .first()
        .click({ position: { x: 40, y: 12 } });
      await follow(".event-details");
      await openApp(site, page, "/live");
      await follow(".event-list");
      const query = encodeURIComponent("SELECT address FROM events WHERE address != '' LIMIT 5");
      await openApp(site, page, `/sql?q=${query}`);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.locator('section[aria-label="Result"] tbody tr').first().waitFor();
      await follow('section[aria-label="Result"]');
    });
  });

  test("amounts of a wallet's days are those of its report", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, `/wallets/wallet?address=${richest}`);
      await page.getByRole("button", { name: "Revenue by day: more" }).click();
      await page.getByRole("menuitem", { name: "Show as table" }).click();
      const [profile] = (await findWallets(site, { address: richest })).data;
      assert.ok(profile);
      const days = { date_from: profile.first_seen.slice(0, 10), date_to: profile.last_seen.slice(0, 10) };
      const { data } = await ask(site, "/v0/revenue_timeseries", { ...days, address: richest, bots: "include" });
      const shown = await readTable(page.locator('section[aria-label="Revenue by day"]'));
      assert.deepEqual(
        shown.map(([day, event]) => [day, event]),
        data.map(({ date, event }) => [String(date), String(event)]),
      );
      assert.equal(
        data.reduce((sum, row) => sum + Number(row.revenue), 0),
        profile.revenue,
      );
    });
  });
});
