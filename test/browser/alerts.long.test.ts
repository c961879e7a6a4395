/** The pages of alerts in every theme and width. */
import { after, before, describe, test } from "node:test";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import { type DashboardService, startDashboard, visits } from "./dashboard-service.ts";
import { LOCALE } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { openApp } from "./wallet-site.ts";

const LOOKS = [
  ["light", 1280],
  ["dark", 390],
  ["dark", 1280],
  ["light", 390],
] as const;

describe("the pages of alerts", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDashboard();
    await site.send(visits());
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  test("list, history and both editors are accessible and fit, in light and dark, on a phone and on a screen", async () => {
    for (const [colorScheme, width] of LOOKS) {
      await site.withPage({ ...LOCALE, colorScheme, viewport: { width, height: 900 } }, async (page) => {
        const look = `${colorScheme} ${width}`;
        await openApp(site, page, "/alerts?edit=new");
        await page.getByLabel("Name", { exact: true }).fill(`Swaps ${look}`);
        // Asked a moment after the last letter: what is shown until its answer is greyed.
        const previewed = page.waitForResponse(
          (answer) =>
            answer.url().includes("/alerts/preview") && answer.request().postData()?.includes("Swap") === true,
        );
        await page.getByLabel("Value 1").fill("Swap");
        await page.getByRole("button", { name: "Recipient" }).click();
        await page.getByLabel("Address 1").fill("https://hooks.example.com/services/T000/B000/secretsecret");
        await previewed;
        await page.locator(".alert-would").waitFor();
        await settle(page);
        await expectAccessible(page, `an alert on events, ${look}`);
        await expectNoOverflow(page, `an alert on events, ${look}`);
        await page.getByRole("button", { name: "Make the alert" }).click();
        await page.waitForURL(/alert=alrt_/);
        await settle(page);
        await expectAccessible(page, `list and history, ${look}`);
        await expectNoOverflow(page, `list and history, ${look}`);
        await openApp(site, page, "/alerts?edit=new");
        await page.getByRole("button", { name: "A number" }).click();
        await page.locator(".alert-line").waitFor({ state: "attached" });
        await settle(page);
        await expectAccessible(page, `an alert on a number, ${look}`);
        await expectNoOverflow(page, `an alert on a number, ${look}`);
      });
    }
  });
});
