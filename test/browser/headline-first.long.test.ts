/** The order in which the overview asks, seen by what arrives at the service and by what is on the screen. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { full } from "../../dashboard/src/format/numbers.ts";
import { waitFor } from "../support/wait.ts";
import type { DashboardService } from "./dashboard-service.ts";
import { dayOf, LOCALE, lastDays, startDemoSite } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, type Query, readTexts } from "./shown-rows.ts";
import { type SlowProxy, startSlowProxy } from "./slow-proxy.ts";

/** Everything but the headline and its chart. */
const REST = /^\/v0\/(?!kpis|live\/stream)/;

describe("the headline comes first, in a real Chromium", () => {
  let site: DashboardService;
  let proxy: SlowProxy;
  before(async () => {
    site = await startDemoSite();
    proxy = await startSlowProxy(site.service.apiUrl);
  });
  after(async () => {
    proxy.close();
    await site.stop();
  });

  /** A page behind the proxy; the cookie of the session is for all ports of the machine. */
  async function withSlowPage(use: (page: Page) => Promise<void>): Promise<void> {
    const context = await site.newContext(LOCALE);
    const page = await context.newPage();
    proxy.asked.length = 0;
    try {
      await use(page);
    } finally {
      proxy.release();
      await context.close();
    }
  }

  async function expectHeadline(page: Page, view: Query): Promise<void> {
    await page.locator(".headline-card .headline-value").first().waitFor();
    await expectShown(
      `visitors and sessions of ${JSON.stringify(view)}`,
      async () => (await readTexts(page.locator(".headline-card"), [".headline-value"])).slice(0, 2),
      async () => {
        const [row] = (await ask(site, "/v0/kpis", { ...view, interval: "all" })).data;
        return [[full(Number(row?.visitors), "count")], [full(Number(row?.sessions), "count")]];
      },
    );
  }

  const reports = () => proxy.asked.filter((path) => path.startsWith("/v0/") && !path.startsWith("/v0/live/stream"));

  test("headline and chart are asked before everything else, and shown while nothing else is answered", async () => {
    await withSlowPage(async (page) => {
      proxy.hold(REST);
      await page.goto(`${proxy.url}/app`);
      await expectHeadline(page, lastDays(28));
      await page.locator(".trend svg[role=img] path.line").first().waitFor();
      assert.deepEqual(
        reports()
          .slice(0, 2)
          .map((path) => path.split("?")[0]),
        ["/v0/kpis", "/v0/kpis"],
      );
      assert.ok(!proxy.asked.some((path) => path.includes("1995")), "nothing is asked of the years before");
      // The others keep their connections: the headline of another period must find free ones.
      await waitFor("the others to be asked", () => reports().filter((path) => REST.test(path)).length >= 4);
      await page.keyboard.press("w");
      await page.waitForURL(/period=7d/);
      await waitFor("the old numbers to leave", async () => (await page.locator(".headline.stale").count()) === 0);
      await expectHeadline(page, lastDays(7));
      proxy.release();
      await settle(page);
    });
  });

  test("what is far below the screen is asked when it comes near, and not before", async () => {
    await withSlowPage(async (page) => {
      await page.goto(`${proxy.url}/app`);
      await expectHeadline(page, lastDays(28));
      await page.locator(".onchain .funnel").waitFor();
      await page.locator("section.panel[aria-label^='Sources'] .ranked").waitFor();
      const asked = () => reports().map((path) => path.split("?")[0]?.slice("/v0/".length) ?? "");
      for (const later of ["heatmap", "retention", "top_events"]) assert.ok(!asked().includes(later), later);
      const hours = page.locator("section.panel[aria-label='Hours of the week']");
      await hours.scrollIntoViewIfNeeded();
      await hours.locator(".heat").waitFor();
      await waitFor("both to be asked", () => asked().includes("heatmap") && asked().includes("retention"));
      await expectShown(
        "the sessions of all hours",
        async () => {
          const cells = await readTexts(hours.locator(".heat tbody td"), [".heat-cell > span"]);
          return [[String(cells.reduce((sum, [text = ""]) => sum + Number(text.replaceAll(/\D/g, "")), 0))]];
        },
        async () => {
          const { data } = await ask(site, "/v0/heatmap", lastDays(28));
          return [[String(data.reduce((sum, row) => sum + Number(row.sessions), 0))]];
        },
      );
    });
  });

  test("all time begins with the first day that has events, found without a report", async () => {
    await withSlowPage(async (page) => {
      await page.goto(`${proxy.url}/app?period=all`);
      const { data } = await ask<{ data: { first_day: string }[] }>(site, "/v0/first_days", {});
      const view = { date_from: data[0]?.first_day ?? "", date_to: dayOf(0) };
      await expectHeadline(page, view);
      assert.match(reports()[0] ?? "", /^\/v0\/first_days/);
      const kpis = reports().filter((path) => path.startsWith("/v0/kpis"));
      assert.ok(kpis.length > 0 && kpis.every((path) => path.includes(`date_from=${view.date_from}`)));
    });
  });
});
