/** What people do around the numbers: read money, print, share, look at all projects, hold a phone, sit out a failure. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { callApi, makeForm } from "../support/forms.ts";
import { startTarget } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";
import { expectAccessible } from "./accessible.ts";
import { type DashboardService, startDashboard, visits } from "./dashboard-service.ts";
import { settle } from "./settle.ts";

/** Six visitors of `visits` buy: 2.50 of revenue and 100 of volume each. */
const [REVENUE, VOLUME] = [15, 600];

describe("the dashboard around its numbers", () => {
  let site: DashboardService;

  before(async () => {
    site = await startDashboard();
    await site.send(visits());
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  const open = async (page: Page, search = "?period=7d") => {
    await page.goto(`${site.service.apiUrl}/app${search}`);
    await settle(page);
  };
  const tile = (page: Page, label: string) => page.locator(".headline-card", { hasText: label });
  const shownValue = (page: Page, label: string) => tile(page, label).locator(".headline-value").textContent();
  const kpis = async (period: object) => {
    const url = new URL(`${site.service.apiUrl}/v0/kpis`);
    url.search = new URLSearchParams({ ...period, interval: "all" }).toString();
    const answer = await fetch(url, { headers: { authorization: `Bearer ${site.credentials.apiKey}` } });
    const { data } = (await answer.json()) as { data: Record<string, number>[] };
    return data[0] ?? {};
  };
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

  test("money has the unit of the project, on tiles, lists and the axis, and a sum of nothing is a dash", async () => {
    const { revenue, volume } = await kpis({ date_from: day(6), date_to: day(0) });
    assert.deepEqual([revenue, volume], [REVENUE, VOLUME]);
    await site.withPage({}, async (page) => {
      await open(page, "?period=7d&measure=revenue&by=revenue&chains=chain_id");
      assert.equal(await shownValue(page, "Revenue"), "$15.00");
      assert.equal(await shownValue(page, "Volume"), "$600.00");
      const sources = page.locator('section.panel[aria-label="Sources: Channels"]');
      for (const text of await sources.locator(".ranked-value").allTextContents()) assert.match(text, /^(\$[\d.]+|–)$/);
      assert.match((await page.locator(".trend .axis text").allTextContents()).join(" "), /\$\d/);
      await open(page, "?period=7d&f=page.eq./pools");
      assert.equal(await shownValue(page, "Revenue"), "–", "nobody has bought on this page");

      await page.goto(`${site.service.apiUrl}/app/settings`);
      await page.getByRole("button", { name: "Change" }).click();
      await page.getByLabel(/Unit of revenue/).fill("USDC");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("cell", { name: "USDC" }).waitFor();
      await open(page);
      assert.equal(await shownValue(page, "Revenue"), "15.00\u00a0USDC");
      assert.equal(await shownValue(page, "Visitors"), "24");
    });
  });

  test("one bar says for the whole page that nothing answers; old numbers stay grey, and new ones come by themselves", async () => {
    const context = await site.newContext({});
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await open(page);
      const before = await shownValue(page, "Visitors");
      let isOut = true;
      await page.route(/\/v0\/(?!live)/, (route) => {
        const error = { code: "UNAVAILABLE", message: "The engine does not answer" };
        return isOut ? route.fulfill({ status: 503, json: { error } }) : route.continue();
      });
      await page.keyboard.press("y");
      await page.waitForURL(/period=/);
      await page.locator(".failure-bar").getByText("The engine does not answer").waitFor();
      await waitFor("grey panels", async () => (await page.locator(".panel-body.stale").count()) >= 3);
      assert.equal(await page.getByRole("alert").count(), 1);
      assert.equal(await page.getByRole("button", { name: /Try again/ }).count(), 0);
      assert.equal(await page.locator(".headline.stale").count(), 1);
      assert.equal(await shownValue(page, "Visitors"), before, "the number from before, in grey");
      isOut = false;
      await page.locator(".failure-bar").waitFor({ state: "detached" });
      await settle(page);
      assert.equal(await page.locator(".stale").count(), 0);
    } finally {
      await context.close();
    }
  });

  test("paper has the numbers and charts in its width, and nothing to click", async () => {
    await site.withPage({}, async (page) => {
      await open(page);
      const chart = page.locator(".trend .chart svg");
      await chart.hover();
      await page.locator(".chart-tip").waitFor();
      const [onScreen, paper] = [await widthOf(chart), (186 / 25.4) * 96];
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      for (const hidden of [".nav", ".bar-row", ".skip", ".chart-tip", ".panel-actions"])
        assert.equal(await page.locator(hidden).first().isVisible(), false, `${hidden} is not printed`);
      assert.match((await page.locator(".print-head").textContent()) ?? "", /My project, .*, UTC$/);
      const printed = await widthOf(chart);
      assert.ok(printed < paper && printed > paper * 0.9, `${onScreen} px wide on the screen, ${printed} on paper`);
      assert.ok(await tile(page, "Revenue").isVisible());
      await page.evaluate("dispatchEvent(new Event('afterprint'))");
      await page.locator(".nav").waitFor();
      await waitFor("the width of the screen", async () => (await widthOf(chart)) === onScreen);
    });
  });

  test("a project is made from the menu, says once that it is empty, and all projects are on one page", async () => {
    await site.withPage({}, async (page) => {
      await open(page);
      await page.locator(".project-button").click();
      await page.getByRole("menuitem", { name: "New project" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("Second");
      await page.getByRole("button", { name: "Make it" }).click();
      await page.waitForURL(/\/app\/start\?.*project=prj_/);
      await page.locator(".project-button", { hasText: "Second" }).waitFor();
      const second = new URL(page.url()).searchParams.get("project");
      await open(page, `?period=7d&project=${second}`);
      await page.locator("section.panel").getByText("No events yet").waitFor();
      assert.equal(await page.locator("section.panel").count(), 1);

      await page.locator(".project-button").click();
      await page.getByRole("menuitem", { name: "All projects" }).click();
      await page.waitForURL(/\/app\/projects/);
      await settle(page);
      const card = (name: string) => page.locator(".project-card", { hasText: name });
      const { visitors } = await kpis({ date_from: day(6), date_to: day(0), project_id: site.credentials.projectId });
      await card("My project").getByText(String(visitors), { exact: true }).waitFor();
      assert.equal(await card("My project").locator(".sparkline").count(), 1);
      await card("Second").locator(".headline-value", { hasText: /^0$/ }).waitFor();
      assert.equal(await card("Second").locator(".change").count(), 0, "nothing to compare with");
      await expectAccessible(page, "all projects");
      await card("My project").click();
      await page.waitForURL((url) => url.pathname === "/app" && url.searchParams.get("project") !== second);
    });
  });

  test("a copied link keeps the period as chosen, or the days as they are now", async () => {
    await site.withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      await open(page, "?period=7d&f=page.eq./swap");
      const copied = async (name: RegExp) => {
        await page.getByText("Link copied").waitFor({ state: "detached" });
        await page.getByRole("button", { name: "Copy a link to this view" }).click();
        await page.getByRole("menuitem", { name }).click();
        await page.getByText("Link copied").waitFor({ state: "attached" });
        return new URL(String(await page.evaluate("navigator.clipboard.readText()"))).searchParams;
      };
      assert.equal((await copied(/Copy the link/)).get("period"), "7d");
      const fixed = await copied(/days fixed/);
      assert.deepEqual([fixed.get("period"), fixed.get("from"), fixed.get("to")], ["custom", day(6), day(0)]);
      assert.equal(fixed.get("f"), "page.eq./swap");
    });
  });

  test("a phone shows four tiles before the chart, and everything to touch is 40 px high", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    await site.withPage(phone, async (page) => {
      await open(page);
      assert.equal(await page.locator(".headline-card:visible").count(), 4);
      const top = (await page.locator(".trend").boundingBox())?.y ?? Number.NaN;
      assert.ok(top < 844 / 2, `the chart begins at ${top} px`);
      const touched = [
        ".card-tabs button",
        ".panel-actions button",
        ".headline-more",
        ".ranked-row",
        ".bar-tools button",
      ];
      for (const name of touched) {
        const box = await page.locator(`${name}:visible`).first().boundingBox();
        assert.ok((box?.height ?? 0) >= 40, `${name} is ${box?.height} px high`);
      }
      await page.getByRole("button", { name: "More numbers" }).click();
      assert.equal(await page.locator(".headline-card:visible").count(), 9);
    });
  });

  test("a tablet shows the names of pages and two lists beside each other", async () => {
    for (const width of [768, 1024]) {
      await site.withPage({ viewport: { width, height: 900 } }, async (page) => {
        await open(page);
        const label = await page.locator(".nav-link span", { hasText: "Retention" }).boundingBox();
        assert.ok((label?.width ?? 0) > 30, "the name under the icon");
        const [one, two] = [page.locator(".cards > *").nth(0), page.locator(".cards > *").nth(1)];
        assert.equal((await one.boundingBox())?.y, (await two.boundingBox())?.y, "in one row");
        assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= width);
        for (const tab of await page.locator(".card-tabs button").all()) await tab.click({ trial: true });
      });
    }
  });

  test("how a number is counted leads to the guide, which the service itself shows", async () => {
    await site.withPage({}, async (page) => {
      await open(page);
      await page.getByRole("button", { name: "Visitors over time: more" }).click();
      await page.getByRole("menuitem", { name: "How is this counted?" }).click();
      const opening = page.context().waitForEvent("page");
      await page.getByRole("link", { name: "How everything is counted" }).click();
      const guide = await opening;
      await guide.getByRole("heading", { name: "What the numbers mean" }).waitFor();
      await expectAccessible(guide, "guide");
      await guide.getByRole("link", { name: "Guides" }).click();
      await guide.getByRole("link", { name: "Quick start" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Account and theme" }).click();
      await page.getByRole("menuitem", { name: "Documentation" }).waitFor();
      await page.getByRole("menuitem", { name: "Settings" }).click();
      await page.waitForURL(/\/app\/settings/);
    });
  });

  test("a webhook says in words what became of it: its log is open, a test is called a test", async (t) => {
    let status = 500;
    // The next attempt would be the second failure.
    const later = { "retry-after": "600" };
    const target = await startTarget((response) => response.writeHead(status, status === 500 ? later : {}).end());
    t.after(() => target.close());
    const key = { text: site.credentials.apiKey };
    const form = await makeForm(site.service, key);
    const wanted = { formId: form.id, targetUrl: target.url, eventTypes: ["FORM_SUBMISSION"] };
    assert.equal((await callApi(site.service, key, "POST", "/api/webhooks", wanted)).status, 201);
    await site.withPage({}, async (page) => {
      await page.goto(`${site.service.apiUrl}/app/forms?form=${form.id}&tab=webhooks`);
      await page.getByText("No delivery was accepted yet.").waitFor();
      await page.getByText("Nothing was sent yet").waitFor();
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByRole("cell", { name: "Test", exact: true }).waitFor();
      await page.getByText("1 failure", { exact: true }).waitFor();
      status = 204;
      await page.getByRole("button", { name: "Resend", exact: true }).click();
      await page.getByText(/Last accepted (now|\d+ ?s)/).waitFor();
    });
  });

  test("without JavaScript the page says so, with links to what works without", async () => {
    const context = await site.newContext({ javaScriptEnabled: false });
    try {
      const page = await context.newPage();
      await page.goto(`${site.service.apiUrl}/app/live`);
      const link = page.getByRole("link", { name: "API" });
      assert.equal(new URL((await link.getAttribute("href")) ?? "", site.service.apiUrl).pathname, "/docs");
      assert.ok((await widthOf(page.locator("main"))) <= 640, "styled as a page");
      await link.click();
      await page.getByRole("heading", { name: "Sextant API" }).waitFor();
    } finally {
      await context.close();
    }
  });
});

async function widthOf(element: Locator): Promise<number> {
  return Math.round((await element.boundingBox())?.width ?? Number.NaN);
}
