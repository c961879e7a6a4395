/**
 * The main pages as pictures, with fixed data and a fixed clock. UPDATE_PICTURES=1 writes the committed references in
 * pictures/: look at them before a commit.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { createDemoEvents } from "../../src/demo/events.ts";
import { waitFor } from "../support/wait.ts";
import { type DashboardService, OWNER, startDashboard } from "./dashboard-service.ts";
import { differenceOf, takePicture } from "./pixels.ts";
import { settle } from "./settle.ts";

const NOW_MS = Date.parse("2026-03-31T12:00:00Z");
const VISITORS = 200;
const AT_ONCE = 500;
const REFERENCES = resolve(import.meta.dirname, "pictures");
const ARTIFACTS = resolve(import.meta.dirname, "../../test-artifacts");
const MADE_BY = join(REFERENCES, "made-by.json");
const UPDATES = process.env.UPDATE_PICTURES === "1";

const PAGES = { overview: "", activity: "/activity", funnels: "/funnels", retention: "/retention", flows: "/flows" };
const THEMES = ["light", "dark"] as const;
const SIZE = { width: 1280, height: 720 };
const FITS = `[...document.querySelectorAll(".chart > svg")].every((svg) =>
  Number(svg.getAttribute("width")) === Math.round(svg.parentElement.getBoundingClientRect().width))`;
/** The clock of the service, which is not fixed, is behind these. */
const CHANGING = ".ingest-line, .live-count";
/** One more row in a list changes about 1 % of the overview. */
const TOLERANCE = 0.002;

describe("the pictures of the main pages", () => {
  let site: DashboardService;
  /** An empty page that decodes and compares. */
  let canvas: Page;
  const pictures = new Map<string, Buffer>();
  before(async () => {
    site = await startDashboard();
    canvas = await site.chromium.browser.newPage();
    canvas.setDefaultTimeout(60_000);
    const events = fixedEvents();
    for (let at = 0; at < events.length; at += AT_ONCE) await site.send(events.slice(at, at + AT_ONCE));
  });
  after(() => site.stop());

  async function draw(page: Page, path: string): Promise<void> {
    await page.setViewportSize(SIZE);
    await page.goto(`${site.service.apiUrl}/app${path}`);
    await settle(page);
    // What comes after the reports: the live count, the map, the first day of the project.
    await page.locator(".live-count").waitFor();
    if (path === "") {
      await page.locator(".world path").first().waitFor();
      await page.getByText("Changes are of whole days:").waitFor();
    }
    // As high as the page: a picture of more than the window would draw the charts anew while it is taken.
    const height = await page.evaluate<number>("document.documentElement.scrollHeight");
    await page.setViewportSize({ ...SIZE, height });
    await settle(page);
    await waitFor("charts as wide as their places", () => page.evaluate<boolean>(FITS));
  }

  test("the same data at the same time is drawn the same twice, and one theme is not taken for the other", async (t) => {
    await site.withPage({}, async (page) => {
      await page.goto(site.credentials.setupUrl);
      await page.fill("[name=name]", OWNER.name);
      await page.fill("[name=password]", OWNER.password);
      await page.click("button[type=submit]");
      await page.waitForURL(/\/app/);
      await page.clock.setFixedTime(NOW_MS);
      for (const [name, path] of Object.entries(PAGES)) {
        await page.emulateMedia({ colorScheme: "light" });
        await draw(page, path);
        const light = await takePicture(page, canvas, CHANGING);
        await page.emulateMedia({ colorScheme: "dark" });
        const dark = await takePicture(page, canvas, CHANGING);
        pictures.set(`${name}-light`, light);
        pictures.set(`${name}-dark`, dark);
      }
      await draw(page, PAGES.overview);
      const dark = pictures.get("overview-dark");
      const light = pictures.get("overview-light");
      assert.ok(dark && light);
      const again = await differenceOf(canvas, dark, await takePicture(page, canvas, CHANGING));
      const themes = await differenceOf(canvas, light, dark);
      t.diagnostic(`${percent(again)} between two drawings, ${percent(themes)} between the themes`);
      assert.ok(again <= TOLERANCE, percent(again));
      assert.ok(themes > 0.5, percent(themes));
    });
  });

  for (const name of Object.keys(PAGES)) {
    for (const theme of THEMES) {
      test(`${name}, ${theme}, looks like its reference`, async (t) => {
        const picture = pictures.get(`${name}-${theme}`);
        assert.ok(picture, "taken by the test before");
        const made = { chromium: site.chromium.browser.version(), platform: `${process.platform}-${process.arch}` };
        if (UPDATES) {
          mkdirSync(REFERENCES, { recursive: true });
          writeFileSync(MADE_BY, `${JSON.stringify(made, null, 2)}\n`);
          writeFileSync(join(REFERENCES, `${name}-${theme}.webp`), picture);
          return;
        }
        const reference = JSON.parse(readFileSync(MADE_BY, "utf8")) as typeof made;
        if (made.chromium !== reference.chromium || made.platform !== reference.platform) {
          t.skip(
            `made by Chromium ${reference.chromium} on ${reference.platform}, this is ${made.chromium} on ${made.platform}`,
          );
          return;
        }
        const expected = readFileSync(join(REFERENCES, `${name}-${theme}.webp`));
        const difference = await differenceOf(canvas, expected, picture);
        t.diagnostic(percent(difference));
        if (difference <= TOLERANCE) return;
        mkdirSync(ARTIFACTS, { recursive: true });
        const file = join(ARTIFACTS, `${name}-${theme}.webp`);
        writeFileSync(file, picture);
        assert.fail(`${percent(difference)} differ: see ${file}. If it is meant so: UPDATE_PICTURES=1`);
      });
    }
  }
});

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

/** The first visitors of the demo, by the clock of the pictures. */
function fixedEvents(): object[] {
  const events = [...createDemoEvents(NOW_MS)].slice(0, VISITORS).flat() as Record<string, unknown>[];
  // A server's times are taken as they are; those of a browser move with the time of receipt.
  return events.map((event) => ({ ...event, channel: "server", sent_at: event.original_timestamp }));
}
