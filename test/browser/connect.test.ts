/** The page where one waits for the first event: what it says of a wrong key, and of the first right one. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sampleEvent } from "../support/events.ts";
import { type DashboardService, OWNER, startDashboard } from "./dashboard-service.ts";
import { LOCALE } from "./demo-site.ts";

describe("connecting an app, in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDashboard();
  });
  after(() => site.stop());

  test("a wrong key is shown by its beginning, and the first event ticks the checklist at once", async () => {
    await site.withPage(LOCALE, async (page) => {
      await page.goto(site.credentials.setupUrl);
      await page.fill("[name=name]", OWNER.name);
      await page.fill("[name=password]", OWNER.password);
      await page.click("button[type=submit]");
      await page.getByRole("button", { name: "Connect my app" }).click();
      await page.getByRole("button", { name: /^Make a/ }).click();
      const waiting = page.getByRole("region", { name: "First event" });
      await waiting.getByText("Waiting for your first event…").waitFor();
      const send = (key: string) =>
        fetch(`${site.service.eventsUrl}/v0/raw_events`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify([sampleEvent("first", { type: "connect", address: `0x${"a".repeat(40)}` })]),
        });
      const wrong = "sxw_wrongwrongwrongwrongwrongwrong";
      for (let i = 0; i < 3; i += 1) assert.equal((await send(wrong)).status, 401);
      await waiting.getByText(/3 requests with an unknown key sxw_wrongw…, last /).waitFor();
      assert.ok(!(await page.content()).includes(wrong));
      assert.equal((await send(site.credentials.writeKey)).status, 200);
      await waiting.getByText("Your event is here: connect").waitFor();
      // Ticked after the words are shown.
      const ticked = page.getByRole("region", { name: "Checklist" }).locator("li.done");
      await ticked.nth(1).waitFor();
      assert.deepEqual(await ticked.allTextContents(), ["An event has arrived: done", "A wallet has connected: done"]);
    });
  });
});
