import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sampleEvent } from "../support/events.ts";
import { findFreePort } from "../support/free-port.ts";
import { type DashboardService, OWNER, startDashboard } from "./dashboard-service.ts";
import { waitUntilHuman } from "./fill-form.ts";
import { settle } from "./settle.ts";

const PREFIX = "/stats";

/** One page after the other, as a person goes through them, and all of it behind a path of a proxy. */
describe("the analysis pages in a real Chromium, behind a path", () => {
  let site: DashboardService;
  before(async () => {
    const port = await findFreePort();
    const address = { SEXTANT_API_PORT: String(port), SEXTANT_PUBLIC_API_URL: `http://127.0.0.1:${port}${PREFIX}` };
    site = await startDashboard(address);
  });
  after(() => site.stop());

  const go = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();
  const number = (page: Page, name: string) =>
    page.locator(".headline-card", { hasText: name }).locator(".headline-value");

  test("clicks load the demo, which says that it is invented, and its numbers compare with those before", async () => {
    await site.withPage({}, async (page) => {
      await page.goto(site.credentials.setupUrl);
      await page.fill("[name=name]", OWNER.name);
      await page.fill("[name=password]", OWNER.password);
      await page.click("button[type=submit]");
      await page.getByRole("button", { name: "Show me with demo data" }).click();
      await page.waitForURL(/\/stats\/app\?project=/, { timeout: 60_000 });
      await settle(page);
      await page.getByRole("region", { name: "Demo" }).getByText("All of this is invented").waitFor();
      // The page is there before all events of the demo are, and follows them.
      await number(page, "Visitors")
        .filter({ hasText: /^1,\d{3}$/ })
        .waitFor();
      await page.getByText("420 bots left out").waitFor();
      await page.getByText("Changes are of whole days:").waitFor();
      await page.locator(".change").first().waitFor();
      await page.keyboard.press("n");
      await page.getByText("No changes: the first event is of").waitFor();
      assert.equal(await page.locator(".change").count(), 0);
      // All time: the 100 days that have events, not years before them.
      await page.keyboard.press("a");
      await page.waitForURL(/period=all/);
      await settle(page);
      await page.getByRole("button", { name: "Visitors over time: more" }).click();
      await page.getByRole("menuitem", { name: "Show as table" }).click();
      const days = await page.locator('section[aria-label="Visitors over time"] tbody tr').count();
      assert.ok(days >= 99 && days <= 102, `${days} days`);
    });
  });

  test("a funnel of two steps is built, retention marks the running week, and flows go on through a box", async () => {
    await site.withPage({}, async (page) => {
      await page.goto(`${site.service.apiUrl}/app`);
      await settle(page);
      await chooseDemo(page);
      await go(page, "Funnels");
      await page.getByRole("button", { name: "Remove step 3" }).click();
      await page.getByLabel("Step 2: kind").selectOption("signature");
      await page.waitForURL(/step=page&step=signature/);
      await settle(page);
      await page.getByRole("heading", { name: /^[\d.]+% go all the way, in .* \(median\)$/ }).waitFor();
      const steps = await page.locator(".funnel-label").allTextContents();
      assert.deepEqual(steps, ["1. Page view", "2. Signature"]);
      assert.equal(await page.getByRole("button", { name: /^vs / }).count(), 0, "nothing is compared here");
      await page.getByRole("button", { name: "Conversion over time: more" }).click();
      await page.getByRole("menuitem", { name: "Show the request" }).click();
      await page.getByRole("dialog", { name: "The 7 requests behind this" }).waitFor();
      await page.keyboard.press("Escape");

      await go(page, "Retention");
      await settle(page);
      const weeks = page.getByRole("table", { name: "Retention by week" }).locator("tbody tr");
      await weeks.nth(3).waitFor();
      // Each week but the newest two has one share of the running week, in a frame.
      assert.ok((await page.locator(".heat-cell.partial").count()) >= 2);
      await page.getByRole("img", { name: /^Share of visitors that came back, by week\. \d+ points/ }).waitFor();
      const figures = await page.locator(".figures dd").allTextContents();
      assert.ok(!figures.includes("–"), "a share is known, or the page says why not");

      await go(page, "Flows");
      await settle(page);
      const node = (name: string) => page.locator(".flow-node:enabled", { hasText: name }).first();
      await node("/swap").click();
      await page.waitForURL(/at=0:\/swap/);
      await settle(page);
      await node("Wallet connected").click();
      await page.locator(".flow-path .chip").nth(1).waitFor();
      await settle(page);
      await node("Signature: requested").waitFor();
      const first = page.locator(".flow-node[aria-pressed=true]").first();
      assert.match((await first.textContent()) ?? "", /^\/swap/, "the path before is kept");
    });
  });

  test("the overview of an empty project says so, and shows an event without a reload", async (t) => {
    await site.withPage({}, async (page) => {
      await page.goto(`${site.service.apiUrl}/app?project=${site.credentials.projectId}&period=today`);
      await settle(page);
      const channels = page.locator('section.panel[aria-label^="Sources"]');
      await page.locator("section.panel").getByText("No events yet").waitFor();
      assert.equal(await page.locator("section.panel").count(), 1, "one box says it for all panels");
      const began = performance.now();
      await site.send([sampleEvent("first", { type: "page", context: '{"page_url":"https://app.example.com/"}' })]);
      await number(page, "Visitors").getByText("1", { exact: true }).waitFor();
      t.diagnostic(`sent to seen on the overview: ${Math.round(performance.now() - began)} ms`);
      await channels.getByRole("button", { name: "Direct" }).waitFor();
      // A chosen row stays one of several.
      await channels.getByRole("button", { name: "Direct" }).click();
      await page.waitForURL(/f=channel\.eq\.Direct/);
      await channels.locator(".ranked-row.active", { hasText: "Direct" }).waitFor();
    });
  });

  test("numbers of another period are never shown as those of this one, also where the browser reports offline", async () => {
    await site.withPage({}, async (page) => {
      await page.goto(`${site.service.apiUrl}/app?project=${site.credentials.projectId}&period=today`);
      await settle(page);
      // Only what the browser believes: the service on this machine still answers.
      await page.evaluate(
        `Object.defineProperty(navigator, "onLine", { get: () => false }); dispatchEvent(new Event("offline"))`,
      );
      await page.keyboard.press("e");
      await page.waitForURL(/period=yesterday/);
      await number(page, "Visitors").getByText("0", { exact: true }).waitFor();
    });
  });

  test("a form is built with its preview, answered on its page, and the answer is seen", async () => {
    await site.withPage({}, async (page) => {
      await page.goto(`${site.service.apiUrl}/app/forms`);
      await settle(page);
      await chooseDemo(page);
      assert.equal(
        await page.getByRole("region", { name: "Demo" }).count(),
        0,
        "forms are real also while the demo is chosen",
      );
      await page.getByRole("button", { name: "New form" }).click();
      await page.getByLabel("Title").fill("Join the beta");
      await page.getByLabel("Kind of the new field").selectOption("short_text");
      await page.getByRole("button", { name: "Add field" }).click();
      await page.getByLabel("Question").nth(1).fill("Your name");
      const preview = page.getByRole("region", { name: "Preview" });
      await preview.getByText("Join the beta").waitFor();
      await preview.getByText("Your name").waitFor();
      await page.getByRole("button", { name: "Make the form" }).click();
      await page.getByRole("heading", { name: "Join the beta" }).waitFor();
      const view = page.url();
      await page.goto((await page.getByRole("link", { name: "Open" }).getAttribute("href")) ?? "");
      assert.match(page.url(), /\/stats\/f\//);
      await page.getByLabel("Email").fill("ada@example.com");
      await page.getByLabel("Your name").fill("Ada");
      await waitUntilHuman(page);
      await page.locator("button[type=submit]").click();
      await page.locator("form").waitFor({ state: "detached" });
      await page.goto(view);
      await page.getByRole("cell", { name: "ada@example.com" }).waitFor();
    });
  });

  test("one click deletes the demo", async () => {
    await site.withPage({}, async (page) => {
      await page.goto(`${site.service.apiUrl}/app`);
      await settle(page);
      await chooseDemo(page);
      await page.getByRole("button", { name: "Delete the demo" }).click();
      await page.getByRole("region", { name: "Demo" }).waitFor({ state: "detached" });
      await page.locator(".project-button").click();
      await page.getByRole("menuitemradio").first().waitFor();
      assert.deepEqual(await page.getByRole("menuitemradio").allTextContents(), ["My project"]);
    });
  });

  async function chooseDemo(page: Page): Promise<void> {
    await page.locator(".project-button").click();
    await page.getByRole("menuitemradio", { name: "Demo" }).click();
    await page.waitForURL(/project=/);
    await settle(page);
  }
});
