import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { IS_LONG, SEED, sampled } from "../../src/lib/testing.ts";
import { sampleEvent } from "../support/events.ts";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import { type DashboardService, OWNER, startDashboard, visits } from "./dashboard-service.ts";
import { settle, TWO_FRAMES } from "./settle.ts";
import { readRanked, readTable } from "./shown-rows.ts";

const PAGES = [
  "",
  "/live",
  "/activity",
  "/wallets",
  "/funnels",
  "/retention",
  "/flows",
  "/sql",
  "/forms",
  "/settings",
  "/system",
];

/** The page behind an open dialog has a test of its own. */
const DIALOG = "[role=dialog], dialog[open]";

const LOOKS = [
  ["light", 1280],
  ["dark", 360],
] as const;

/** Long enough for the next key to be there before the page is done with Escape. */
const BUSY_AT_ESCAPE = `addEventListener("keydown", ({ key }) => {
  const until = performance.now() + (key === "Escape" ? 500 : 0);
  while (performance.now() < until);
}, true)`;

describe("the dashboard in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDashboard();
    await site.send(visits());
  });
  after(() => site.stop());

  const open = async (page: Page, path: string) => {
    await page.goto(`${site.service.apiUrl}/app${path}`);
    await settle(page);
  };
  const showsVisitors = (page: Page, count: string) =>
    page.locator(".headline-card", { hasText: "Visitors" }).locator(".headline-value", { hasText: count }).waitFor();
  const card = (page: Page, title: string) => page.locator(`section.panel[aria-label^="${title}"]`);

  test("the link of the start makes the first account, and it opens only once", async () => {
    await site.withPage({}, async (page) => {
      await page.goto(site.credentials.setupUrl);
      await page.fill("[name=name]", OWNER.name);
      await page.fill("[name=password]", OWNER.password);
      await expectAccessible(page, "setup");
      await page.click("button[type=submit]");
      await page.waitForURL(/\/app/);
      await settle(page);
    });
    await site.withPage({ storageState: { cookies: [], origins: [] } }, async (page) => {
      await page.goto(site.credentials.setupUrl);
      await page.getByRole("heading", { name: "Already set up" }).waitFor();
    });
  });

  test("a browser that names a language which no format accepts shows the same page", async () => {
    await site.withPage({}, async (page) => {
      await page.addInitScript(() => {
        const named = { language: "en-US@posix", languages: ["en-US@posix"] };
        for (const [name, value] of Object.entries(named)) Object.defineProperty(navigator, name, { value });
      });
      await page.goto(`${site.service.apiUrl}/app`);
      await page.locator(".headline-card", { hasText: "Visitors" }).waitFor();
    });
  });

  test("a session that has ended leads to the sign-in, and from there back to the same view", async () => {
    await site.withPage({ storageState: { cookies: [], origins: [] } }, async (page) => {
      await page.goto(`${site.service.apiUrl}/app/activity?type=connect`);
      await page.waitForURL(/\/sign-in/);
      await expectAccessible(page, "sign-in");
      await page.fill("[name=name]", OWNER.name);
      await page.fill("[name=password]", "not the password");
      await page.click("button[type=submit]");
      await page.getByRole("alert").waitFor();
      await page.fill("[name=password]", OWNER.password);
      await page.click("button[type=submit]");
      await page.waitForURL(/\/app\/activity\?type=connect/);
      await settle(page);
      assert.equal(await page.locator(".event-row").count(), 12);
    });
  });

  test("a click on a row filters the page, shift-click leaves out, and link, reload and back show the same", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "?period=7d");
      await card(page, "Pages").getByRole("button", { name: "/swap" }).click();
      await page.waitForURL(/f=page\.eq\.\/swap/);
      await settle(page);
      await showsVisitors(page, "12");
      await card(page, "Chains and wallets")
        .getByRole("button", { name: "Base" })
        .click({ modifiers: ["Shift"] });
      await page.waitForURL(/f=chain_id\.neq\.8453/);
      await settle(page);
      const chips = () => page.locator(".chip-text").allTextContents();
      assert.deepEqual(await chips(), ["Page is /swap", "Chain is not Base"]);
      await page.reload();
      await settle(page);
      assert.deepEqual(await chips(), ["Page is /swap", "Chain is not Base"]);
      await page.goBack();
      await settle(page);
      assert.deepEqual(await chips(), ["Page is /swap"]);
      await page.getByRole("button", { name: "Clear all" }).click();
      await showsVisitors(page, "24");
    });
  });

  test("keys choose and move the period, open filter, help and palette, and the palette goes to a page", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "");
      await page.keyboard.press("w");
      await page.waitForURL(/period=7d/);
      await page.keyboard.press("ArrowLeft");
      await page.waitForURL(/from=.*to=/);
      await page.keyboard.press("d");
      await page.waitForURL(/app\?period=today$/);
      await page.keyboard.press("w");
      await page.keyboard.press("x");
      await page.waitForURL(/period=7d&compare=off/);
      await page.keyboard.press("/");
      await page.getByRole("dialog", { name: "Filter" }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
      await expectAccessible(page, "help", DIALOG);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Search pages and actions" }).waitFor();
      await page.keyboard.type("retention");
      await expectAccessible(page, "palette", DIALOG);
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/app\/retention\?.*period=7d/);
    });
  });

  test("a key that waited behind Escape on a busy page opens its dialog, also the one that Escape closed", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "");
      await page.evaluate(BUSY_AT_ESCAPE);
      const dialog = (name: string) => page.getByRole("dialog", { name });
      await page.keyboard.press("?");
      await dialog("Keyboard").waitFor();
      for (const [key, name] of [
        ["?", "Keyboard"],
        ["Control+k", "Search pages and actions"],
        ["?", "Keyboard"],
      ] as const) {
        await Promise.all([page.keyboard.press("Escape"), page.keyboard.press(key)]);
        await dialog(name).waitFor();
        await page.evaluate(TWO_FRAMES);
        assert.equal(await page.getByRole("dialog").count(), 1);
        await dialog(name).waitFor();
      }
    });
  });

  test("every panel has its table, its CSV, its request without a key, and how it is counted", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "?period=7d");
      const panel = card(page, "Visitors over time");
      const choose = async (name: string) => {
        await panel.getByRole("button", { name: "Visitors over time: more" }).click();
        await page.getByRole("menuitem", { name }).click();
      };
      await choose("Show as table");
      assert.equal(await panel.locator("tbody tr").count(), 7);
      await choose("Show the request");
      const line = (await page.locator("pre.code").textContent()) ?? "";
      assert.match(line, /curl .*\/v0\/kpis'/);
      assert.match(line, /Bearer \$SEXTANT_API_KEY/);
      await page.keyboard.press("Escape");
      await choose("How is this counted?");
      await page.getByRole("dialog", { name: "Visitors" }).waitFor();
      await page.keyboard.press("Escape");
      const download = page.waitForEvent("download");
      await choose("Download CSV");
      assert.match(
        (await download).suggestedFilename(),
        /^my-project_visitors-over-time_\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/,
      );
      const lines = readFileSync(await (await download).path(), "utf8")
        .trim()
        .split("\r\n");
      const days = lines.slice(1).map((line) => line.split(",")[0] ?? "");
      assert.ok(days.length === 7 && days.every((one) => /^\d{4}-\d\d-\d\d$/.test(one)), lines.join("\n"));
    });
  });

  test("an event is on Live and in Activity within seconds, without a reload, and its texts stay texts", async (t) => {
    const hostile = "<img src=x onerror=\"document.title='hacked'\">";
    await site.withPage({}, async (page) => {
      await open(page, "/live");
      const began = performance.now();
      await site.send([
        sampleEvent("hostile", {
          type: "track",
          event: hostile,
          context: JSON.stringify({ page_url: "https://app.example.com/<b>x", referrer: "https://evil.example/<i>" }),
          properties: JSON.stringify({ "<script>": hostile }),
        }),
      ]);
      await page.locator(".stream").getByText(hostile).waitFor();
      t.diagnostic(`sent to seen: ${Math.round(performance.now() - began)} ms`);
      await open(page, "/activity");
      await page.getByText(hostile).first().click();
      await page.locator(".event-details").getByText(hostile).first().waitFor();
      await open(page, "?period=today&events=custom");
      await card(page, "Events").getByText(hostile).waitFor();
      assert.equal(await page.locator("main img").count(), 0);
      assert.equal(await page.title(), "Overview · Sextant");
    });
  });

  test("SQL runs, shows rows and a chart, and says what is wrong with a wrong query", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "/sql");
      const tables = page.locator('section[aria-label="Tables"]');
      await tables.locator("summary", { hasText: /^events$/ }).waitFor();
      // Those that nothing fills are folded, with the reason.
      assert.equal(await tables.getByText("wallet_profiles_mv", { exact: true }).isVisible(), false);
      await tables.getByText("tables without rows").click();
      await tables.getByText("wallet_profiles_mv", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Events by type" }).click();
      await page.getByRole("button", { name: "Run" }).click();
      const result = page.locator('section[aria-label="Result"]');
      await result.locator("tbody tr").first().waitFor();
      assert.ok((await result.locator("tbody").textContent())?.includes("connect"));
      // All charts of all columns are in `sql-charts.long.test.ts`.
      const rows = (await readTable(result.locator("table"))).map(([name = "", events]) => [name, Number(events)]);
      await result.getByLabel("Show as").selectOption("bar");
      await result.locator(".ranked-row").first().waitFor();
      assert.deepEqual(
        (await readRanked(result)).map(([name, events = ""]) => [name, Number(events.replaceAll(",", ""))]),
        rows,
      );
      await open(page, "/sql?q=SELECT+nothing+FROM+nowhere");
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("alert").getByText("There is no table nowhere (line 1, column 21)").waitFor();
    });
  });

  // Some of the pages, in one of the looks: all in both in a long run.
  for (const [at, path] of sampled([...PAGES.entries()], 2)) {
    const looks = IS_LONG ? LOOKS : LOOKS.filter((_, nth) => (SEED + at) % LOOKS.length === nth);
    const about = looks.map(([theme, width]) => `${theme} at ${width} px`).join(" and ");
    test(`axe accepts /app${path}, ${about}, and it is not wider`, async () => {
      await site.withPage({}, async (page) => {
        await open(page, path);
        for (const [colorScheme, width] of looks) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          await settle(page);
          const name = `dashboard${path.replace("/", "-")}-${colorScheme}`;
          await expectAccessible(page, name);
          await expectNoOverflow(page, name);
        }
      });
    });
  }
});
