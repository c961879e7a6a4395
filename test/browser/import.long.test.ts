/** The page of imports in every state, theme and width. */
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import { type DashboardService, startDashboard } from "./dashboard-service.ts";
import { LOCALE } from "./demo-site.ts";
import { expectImports, listImports } from "./import-site.ts";
import { settle } from "./settle.ts";
import { openApp } from "./wallet-site.ts";

const FIXTURES = join(import.meta.dirname, "../imports/fixtures");
const LOOKS = [
  ["light", 1280],
  ["dark", 390],
  ["dark", 1280],
  ["light", 390],
] as const;

describe("the page of imports", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDashboard();
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  test("is accessible and fits, empty, with a preview and with a list, in light and dark, on a phone and on a screen", async () => {
    for (const [colorScheme, width] of LOOKS) {
      await site.withPage({ ...LOCALE, colorScheme, viewport: { width, height: 900 } }, async (page) => {
        const look = `${colorScheme} ${width}`;
        await openApp(site, page, "/import");
        await expectAccessible(page, `the list, ${look}`);
        await page.locator("input[type=file]").setInputFiles(join(FIXTURES, "generic.csv"));
        await page.getByLabel("It is an export of").waitFor();
        await settle(page);
        await expectAccessible(page, `the preview, ${look}`);
        await expectNoOverflow(page, `the preview, ${look}`);
      });
    }
  });

  test("a part that was not taken is sent again, and the whole file arrives", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/import");
      let lost = 0;
      await page.route(/\/file\?offset=/, (route) => {
        lost += 1;
        const answer = { error: { code: "TOO_MANY_REQUESTS", message: "Later" } };
        return lost === 1 ? route.fulfill({ status: 429, json: answer }) : route.continue();
      });
      const rows = Array.from({ length: 100_000 }, (_, n) => `2024-03-01T10:00:00Z,visitor-${n},Visit,some text ${n}`);
      const buffer = Buffer.from(`timestamp,anonymous_id,event,note\n${rows.join("\n")}\n`);
      const file = { name: "large.csv", mimeType: "text/csv", buffer };
      await page.locator("input[type=file]").setInputFiles(file);
      await page.waitForURL(/import=upl_/);
      await settle(page);
      await expectImports(page);
      const sent = (await listImports(page)).find(({ fileName }) => fileName === "large.csv");
      if (sent?.receivedBytes !== buffer.length) throw new Error(`${sent?.receivedBytes} of ${buffer.length} bytes`);
    });
  });
});
