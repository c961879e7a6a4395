/** A property of events from the filter form to the headline: the same numbers on the screen and in the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { valueName } from "../../dashboard/src/format/names.ts";
import { full } from "../../dashboard/src/format/numbers.ts";
import { sampleEvent } from "../support/events.ts";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import type { DashboardService } from "./dashboard-service.ts";
import { LOCALE, lastDays, startDemoSite } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, readRanked, readTexts } from "./shown-rows.ts";

describe("filters on properties, in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDemoSite();
  });
  after(() => site.stop());

  const headline = async (page: Page) =>
    (await readTexts(page.locator(".headline-card"), [".headline-value"])).slice(0, 2);
  const form = (page: Page) => page.getByRole("dialog", { name: "Filter" });

  const expectHeadline = (page: Page, conditions: readonly object[]) =>
    expectShown(
      "the headline",
      () => headline(page),
      async () => {
        const query = { ...lastDays(28), filters: JSON.stringify(conditions), interval: "all" };
        const [row] = (await ask(site, "/v0/kpis", query)).data;
        assert.notEqual(row?.visitors, 0);
        return [[full(Number(row?.visitors), "count")], [full(Number(row?.sessions), "count")]];
      },
    );

  test("the form offers the properties and values of the period with counts, and the page keeps what was chosen", async () => {
    await site.withPage(LOCALE, async (page) => {
      await page.goto(`${site.service.apiUrl}/app`);
      await settle(page);
      const [[all] = [""]] = await headline(page);
      await page.getByRole("button", { name: "Add a filter" }).click();
      await expectShown(
        "the properties to choose from",
        () => readOptions(page, "optgroup[label='Properties of events'] option"),
        async () =>
          (await ask(site, "/v0/event_properties", { ...lastDays(28), limit: "200" })).data.map(({ name, count }) => [
            `properties.${String(name)}`,
            `${String(name)} (${full(Number(count), "count")})`,
          ]),
      );
      await form(page).getByLabel("Field").selectOption("properties.status");
      await form(page).getByLabel("Value").focus();
      await expectShown(
        "the values to choose from",
        () => readSuggestions(page),
        async () =>
          (await ask(site, "/v0/distinct_values", { ...lastDays(28), field: "properties.status" })).data.map(
            ({ value, count }) => [String(value), full(Number(count), "count")],
          ),
      );
      await form(page).getByLabel("Value").fill("rejected");
      await form(page).getByRole("button", { name: "Add filter" }).click();
      await page.waitForURL(/f=properties\.status\.eq\.rejected/);
      await settle(page);
      const rejected = { field: "properties.status", op: "eq", value: "rejected" };
      await expectHeadline(page, [rejected]);
      assert.notEqual((await headline(page))[0]?.[0], all, "fewer than all");
      await page.getByRole("button", { name: "status is rejected", exact: true }).waitFor();
    });
  });

  test("a property is compared by size as a number, and only a number can be entered", async () => {
    await site.withPage(LOCALE, async (page) => {
      await page.goto(`${site.service.apiUrl}/app`);
      await settle(page);
      await page.getByRole("button", { name: "Add a filter" }).click();
      await page.locator("optgroup[label='Properties of events'] option").first().waitFor({ state: "attached" });
      await form(page).getByLabel("Field").selectOption("properties.volume");
      await form(page).getByLabel("Condition").selectOption("gt");
      const add = form(page).getByRole("button", { name: "Add filter" });
      await form(page).getByLabel("Value").fill("much");
      assert.equal(await add.isDisabled(), true);
      await form(page).getByLabel("Value").fill("900");
      await add.click();
      await page.waitForURL(/f=properties\.volume\.gt\.900/);
      await settle(page);
      await expectHeadline(page, [{ field: "properties.volume", op: "gt", value: 900 }]);
    });
  });

  test("by keyboard: values are searched by name, taken as chips, and the last one is removed by Backspace", async () => {
    await site.withPage(LOCALE, async (page) => {
      await page.goto(`${site.service.apiUrl}/app`);
      await settle(page);
      const { data } = await ask(site, "/v0/distinct_values", { ...lastDays(28), field: "location" });
      const [first, second, third] = data.map(({ value }) => String(value));
      assert.ok(first !== undefined && second !== undefined && third !== undefined);
      await page.getByRole("button", { name: "Add a filter" }).click();
      await form(page).getByLabel("Field").selectOption("location");
      await form(page).getByLabel("Condition").selectOption("in");
      const field = form(page).getByRole("combobox", { name: "Value" });
      const chips = () => form(page).getByRole("list", { name: "Chosen" }).locator(".chip-text").allTextContents();
      await field.focus();
      await form(page).locator(".combo-option").nth(2).waitFor();
      // The first by the arrows, the others by their names as people know them, in any case.
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.keyboard.type(valueName("location", second).toLowerCase());
      await page.keyboard.press("ArrowDown");
      const active = await field.getAttribute("aria-activedescendant");
      assert.equal(await form(page).locator(`[id="${active}"]`).getAttribute("data-value"), second);
      await page.keyboard.press("Enter");
      await page.keyboard.type(valueName("location", third));
      await page.keyboard.press("Enter");
      const names = [first, second, third].map((value) => valueName("location", value));
      assert.deepEqual(await chips(), names);
      await page.keyboard.press("Backspace");
      assert.deepEqual(await chips(), names.slice(0, 2));
      // Escape closes the list alone, and then the form; the arrow opens the list again.
      assert.equal(await field.getAttribute("aria-expanded"), "true");
      await page.keyboard.press("Escape");
      assert.equal(await field.getAttribute("aria-expanded"), "false");
      assert.equal(await form(page).isVisible(), true);
      await page.keyboard.press("ArrowDown");
      assert.equal(await field.getAttribute("aria-expanded"), "true");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Enter");
      await page.waitForURL(new RegExp(`f=location\\.in\\.${first}\\|${second}`));
      await settle(page);
      await expectHeadline(page, [{ field: "location", op: "in", value: [first, second] }]);
      // The chip opens the same form with its values.
      await page.getByRole("button", { name: `Country is one of ${names[0]}, ${names[1]}`, exact: true }).click();
      await form(page)
        .getByRole("button", { name: `Remove ${names[0]}` })
        .click();
      assert.equal(await form(page).locator("[role=combobox]:focus").count(), 1, "the focus is not lost");
      await form(page).getByRole("button", { name: "Change filter" }).click();
      await page.waitForURL(new RegExp(`f=location\\.in\\.${second}(&|$)`));
    });
  });

  test("a name that was typed before the values came means one of them once they are here", async () => {
    await site.withPage(LOCALE, async (page) => {
      const { data } = await ask(site, "/v0/distinct_values", { ...lastDays(28), field: "location" });
      const value = String(data[0]?.value);
      assert.notEqual(valueName("location", value), value);
      const held = Promise.withResolvers<void>();
      await page.route(/distinct_values.*field=location/, async (route) => {
        await held.promise;
        await route.continue();
      });
      await page.goto(`${site.service.apiUrl}/app`);
      await settle(page);
      await page.getByRole("button", { name: "Add a filter" }).click();
      await form(page).getByLabel("Field").selectOption("location");
      await form(page).getByLabel("Value").pressSequentially(valueName("location", value));
      held.resolve();
      await form(page).locator(`.combo-option[data-value="${value}"]`).waitFor();
      await form(page).getByRole("button", { name: "Add filter" }).click();
      await page.waitForURL(new RegExp(`f=location\\.eq\\.${value}(&|$)`));
    });
  });

  test("axe accepts the open form with chips and its list, light at 1280 px and dark at 390 px", async () => {
    await site.withPage(LOCALE, async (page) => {
      await page.goto(`${site.service.apiUrl}/app`);
      for (const [colorScheme, width] of [
        ["light", 1280],
        ["dark", 390],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });
        await settle(page);
        await page.getByRole("button", { name: "Add a filter" }).click();
        await form(page).getByLabel("Field").selectOption("channel");
        await form(page).getByLabel("Condition").selectOption("in");
        await form(page).getByLabel("Value").focus();
        await form(page).locator(".combo-option").first().click();
        await form(page).locator(".combo-option[aria-selected=true]").waitFor();
        await expectAccessible(page, `the filter form, ${colorScheme}`, '[role="dialog"][aria-label="Filter"]');
        await expectNoOverflow(page, `the filter form, ${colorScheme}`);
        const box = await form(page).boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= width, `${width} px: ${JSON.stringify(box)}`);
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
        await form(page).waitFor({ state: "detached" });
      }
    });
  });

  test("the card of properties has the values of the chosen one, and a click filters by it", async () => {
    await site.withPage(LOCALE, async (page) => {
      await page.goto(`${site.service.apiUrl}/app`);
      await settle(page);
      const panel = page.locator('section.panel[aria-label^="Properties: "]');
      await panel.scrollIntoViewIfNeeded();
      await settle(page);
      const { data: properties } = await ask(site, "/v0/event_properties", { ...lastDays(28), limit: "200" });
      const tabs = properties.slice(0, 3).map(({ name }) => String(name));
      const shown = await panel.locator(".card-tabs > button").allTextContents();
      assert.deepEqual(shown.slice(0, 3), tabs);
      if (!tabs.includes("status")) {
        await panel.locator(".card-tabs").getByRole("button", { name: "More" }).click();
        await page.getByRole("menuitemradio", { name: "status", exact: true }).click();
      } else await panel.locator(".card-tabs").getByRole("button", { name: "status", exact: true }).click();
      await page.waitForURL(/properties=status|\/app(\?|$)/);
      await settle(page);
      await expectShown(
        "the values of status",
        () => readRanked(panel),
        async () => {
          const query = { ...lastDays(28), metric_column: "properties.status", order_by: "hits", limit: "10" };
          const { data } = await ask(site, "/v0/breakdown", query);
          assert.ok(data.length > 1);
          return data.map(({ value, hits }) => [valueName("value", String(value)), full(Number(hits), "count")]);
        },
      );
      await panel.locator(".ranked-row", { hasText: "rejected" }).click();
      await page.waitForURL(/f=properties\.status\.eq\.rejected/);
      await settle(page);
      await expectHeadline(page, [{ field: "properties.status", op: "eq", value: "rejected" }]);
      await panel.locator(".ranked-row.active", { hasText: "rejected" }).waitFor();
    });
  });

  test("a value of which there are too many to list is found by its text", async () => {
    const coupons = Array.from({ length: 250 }, (_, index) => `c-${String(index).padStart(3, "0")}`);
    await site.send(
      coupons.map((coupon) =>
        sampleEvent(coupon, { type: "track", event: "Coupon", properties: JSON.stringify({ coupon }) }),
      ),
    );
    await site.withPage(LOCALE, async (page) => {
      await page.goto(`${site.service.apiUrl}/app`);
      await settle(page);
      await page.getByRole("button", { name: "Add a filter" }).click();
      await form(page).getByLabel("Field").selectOption("properties.coupon");
      const field = form(page).getByLabel("Value");
      await field.focus();
      await form(page).locator(".combo-option").first().waitFor();
      assert.equal(await form(page).locator('.combo-option[data-value="c-249"]').count(), 0);
      await field.pressSequentially("C-24");
      await form(page).locator('.combo-option[data-value="c-249"]').click();
      await form(page).getByRole("button", { name: "Add filter" }).click();
      await page.waitForURL(/f=properties\.coupon\.eq\.c-249/);
      await settle(page);
      await expectHeadline(page, [{ field: "properties.coupon", op: "eq", value: "c-249" }]);
    });
  });
});

/** Values and counts. */
function readSuggestions(page: Page): Promise<string[][]> {
  return readTexts(page.locator(".combo-option"), [".combo-name", ".combo-count"]);
}

function readOptions(page: Page, options: string): Promise<string[][]> {
  return page
    .locator(options)
    .evaluateAll((all) => all.map((one) => [one.getAttribute("value") ?? "", one.textContent ?? ""]));
}
