/** Pages that stay open: what they show is true of now, in a real Chromium. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sampleEvent } from "../support/events.ts";
import { type DashboardService, startDashboard, visits } from "./dashboard-service.ts";
import { dayOf } from "./demo-site.ts";
import { settle, TWO_FRAMES } from "./settle.ts";

const DAY_MS = 86_400_000;

/** As a browser does where another tab is chosen. */
const show = (state: "hidden" | "visible") => `{
  Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
}`;

describe("pages that stay open", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDashboard();
    await site.send(visits());
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  const open = async (page: Page, path: string) => {
    await page.goto(`${site.service.apiUrl}/app${path}`);
    await settle(page);
  };

  const visitors = (page: Page) => page.locator(".headline-card", { hasText: "Visitors" }).locator(".headline-value");
  const visitorsOf = async (page: Page) => {
    const shown = Number(await visitors(page).textContent());
    assert.ok(Number.isInteger(shown));
    return shown;
  };
  const expectVisitors = (page: Page, count: number) =>
    visitors(page).getByText(String(count), { exact: true }).waitFor();

  test("an event that was stored while another tab was open is in the numbers when one comes back", async () => {
    await site.withPage({}, async (page) => {
      // What was read half a minute ago would be asked again by itself.
      const now = Date.now();
      await page.clock.setFixedTime(now);
      await open(page, "?period=today");
      const before = await visitorsOf(page);
      await page.evaluate(show("hidden"));
      await site.send([sampleEvent("while-away", { anonymous_id: "came-while-away" })]);
      await page.clock.setFixedTime(now + 10_000);
      await page.evaluate(show("visible"));
      await expectVisitors(page, before + 1);
    });
  });

  test("an event that was stored before a page opened in the background is looked at is in the numbers", async () => {
    await site.withPage({}, async (page) => {
      const now = Date.now();
      await page.clock.setFixedTime(now);
      await page.addInitScript(show("hidden"));
      await open(page, "?period=today");
      const before = await visitorsOf(page);
      await site.send([sampleEvent("before-look", { anonymous_id: "came-before-look" })]);
      await page.clock.setFixedTime(now + 10_000);
      await page.evaluate(show("visible"));
      await expectVisitors(page, before + 1);
    });
  });

  test("an event that was stored while the stream was cut is in the numbers", async () => {
    await site.withPage({}, async (page) => {
      await page.route("**/v0/live/stream?*", (route) =>
        route.fulfill({ contentType: "text/event-stream", body: "retry: 1000\n\n" }),
      );
      await open(page, "?period=today");
      const before = await visitorsOf(page);
      await site.send([sampleEvent("while-cut", { anonymous_id: "came-while-cut" })]);
      await expectVisitors(page, before + 1);
    });
  });

  test("a page asks its reports once when it opens, however late its stream is", async () => {
    await site.withPage({}, async (page) => {
      const now = Date.now();
      await page.clock.setFixedTime(now);
      const held = Promise.withResolvers<void>();
      await page.route("**/v0/live/stream?*", async (route) => {
        await held.promise;
        return route.continue();
      });
      const asked: string[] = [];
      page.on("request", (request) => {
        // The line of all events asks again and again.
        if (/\/v0\/(?!live|ingest)/.test(request.url())) asked.push(`${request.url()} ${request.postData()}`);
      });
      const stream = page.waitForResponse("**/v0/live/stream?*");
      await open(page, "?period=today");
      await page.clock.setFixedTime(now + 10_000);
      held.resolve();
      await stream;
      await settle(page);
      assert.deepEqual(
        asked.filter((request, at) => asked.indexOf(request) !== at),
        [],
      );
    });
  });

  test("a page that is open over midnight shows the new day", async () => {
    await site.withPage({}, async (page) => {
      await page.clock.install();
      await open(page, "?period=today");
      const asked = page.waitForRequest((request) => {
        const { pathname, searchParams } = new URL(request.url());
        return pathname === "/v0/kpis" && searchParams.get("date_from") === dayOf(-1);
      });
      await page.clock.fastForward(DAY_MS);
      await asked;
    });
  });

  test("a new project is shown once its account is known, not another one in its place", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "");
      await page.locator(".project-button").click();
      await page.getByRole("menuitem", { name: "New project" }).click();
      const dialog = page.getByRole("dialog", { name: "New project" });
      await dialog.getByLabel("Name").fill("Brand new");
      const held = Promise.withResolvers<void>();
      await page.route("**/api/account", async (route) => {
        await held.promise;
        return route.continue();
      });
      const asked = page.waitForRequest("**/api/account");
      await dialog.getByRole("button", { name: "Make it" }).click();
      await asked;
      await page.evaluate(TWO_FRAMES);
      assert.equal(new URL(page.url()).pathname, "/app");
      held.resolve();
      await page.waitForURL(/\/app\/start\?.*project=prj_/);
      await page.getByRole("heading", { name: /Brand new/ }).waitFor();
      assert.equal(await page.locator(".project-button strong").textContent(), "Brand new");
    });
  });
});
