/** Alerts in a real Chromium: what the pages show is the API's, and nothing of a secret is among it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { alertText } from "../../dashboard/src/format/alert-words.ts";
import { momentText, shortDayText } from "../../dashboard/src/format/dates.ts";
import { firingText } from "../../dashboard/src/format/firing-words.ts";
import { full } from "../../dashboard/src/format/numbers.ts";
import type { AlertView as Alert, FiringView as Firing } from "../../src/contract/alerts.ts";
import type { EventPreview, MetricPreview, WalletPreview } from "../../src/contract/metric-alerts.ts";
import { sampleEvent } from "../support/events.ts";
import { waitFor } from "../support/wait.ts";
import { expectAccessible } from "./accessible.ts";
import { type DashboardService, startDashboard, visits } from "./dashboard-service.ts";
import { LOCALE } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, readTable } from "./shown-rows.ts";
import { openApp } from "./wallet-site.ts";

interface AlertPreview {
  metric: MetricPreview | null;
  events: EventPreview | null;
  wallets: WalletPreview | null;
}

/** Nobody listens there: a delivery fails, and the firing is in the list all the same. */
const TARGET = "http://127.0.0.1:9/alerts";

describe("alerts in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDashboard();
    await site.send(visits());
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  const listAlerts = async () => (await ask<{ data: Alert[] }>(site, "/v0/alerts", {})).data;
  const post = async <T>(path: string, body: object): Promise<T> => {
    const { apiKey, projectId: project_id } = site.credentials;
    const answer = await fetch(`${site.service.apiUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, project_id }),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()) as T;
  };
  const swap = (id: string) =>
    sampleEvent(id, { type: "track", event: "Swap", anonymous_id: `visitor-${id}`, channel: "server" });

  test("an alert on events shows its matches of 30 days, is made with the keyboard, fires, and rings the bell", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/alerts");
      await page.getByText("There is no alert yet").waitFor();
      await expectAccessible(page, "no alerts");
      await page.getByRole("button", { name: "New alert" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Swaps");
      await page.getByLabel("Value 1").fill("Swap");
      const conditions = [{ field: "event", op: "equals", value: "Swap" }];
      await expectEventPreview(page, conditions);
      await page.getByRole("button", { name: "Recipient" }).click();
      await page.getByLabel("Address 1").fill(TARGET);
      await page.getByLabel("Secret that signs webhooks").fill("a secret nobody sees again");
      await expectAccessible(page, "the editor of an alert on events");
      await page.getByLabel("Name", { exact: true }).press("Enter");
      await page.waitForURL(/alert=alrt_/);
      await expectAlerts(page);
      const [alert] = await listAlerts();
      assert.ok(alert?.has_secret);
      assert.ok(!(await page.content()).includes("nobody sees again"));
      await site.send([swap("s-1"), swap("s-2")]);
      const listFirings = async () => (await ask<{ data: Firing[] }>(site, `/v0/alerts/${alert.id}/firings`, {})).data;
      await waitFor("two firings", async () => (await listFirings()).length === 2, 30_000);
      await openApp(site, page, `/alerts?alert=${alert.id}`);
      await expectShown(
        "the history",
        async () => (await readTable(page.locator(".telling-history .table"))).map((cells) => cells.slice(0, 3)),
        async () =>
          (await listFirings()).map((firing) => [
            momentText(Date.parse(firing.created_at)),
            firingText(firing),
            full(firing.count, "count"),
          ]),
      );
      await expectAccessible(page, "the history of an alert");
      await page.getByRole("button", { name: "Notifications: 2 new" }).click();
      const bell = page.getByRole("dialog", { name: "Notifications" });
      assert.equal(await bell.locator(".bell-item").count(), 2);
      await expectAccessible(page, "the bell", "[role=dialog]");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
    });
  });

  test("an alert on a number draws when it would have fired, and is muted, switched off and deleted", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/alerts?edit=new");
      await page.getByRole("button", { name: "A number" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Quiet hours");
      await page.getByLabel("Than").fill("1");
      const metric = {
        ...{ of: "report", report: "kpis", value: "visitors", window: { value: 1, unit: "hours" } },
        ...{ condition: { kind: "below", threshold: 1 }, pending: 1, cool_down_minutes: 0, delay_minutes: 2 },
      };
      const { metric: would } = await post<AlertPreview>("/v0/alerts/preview", { trigger_type: "metric", metric });
      assert.ok(would && would.firings.length > 0, "three days of visits have hours without any");
      await page.locator(".alert-would", { hasText: `fired ${full(would.firings.length, "count")} time` }).waitFor();
      assert.equal(await page.locator(".alert-band").count(), would.firings.length);
      await expectShown(
        "when it would have fired",
        async () => (await readTable(page.locator(".alert-firings"))).map(([from = ""]) => [from]),
        async () => would.firings.map(({ from }) => [momentText(Date.parse(from))]),
      );
      await expectAccessible(page, "the editor of an alert on a number");
      await page.getByRole("button", { name: "Make the alert" }).click();
      await page.waitForURL(/alert=alrt_/);
      await expectAlerts(page);
      const more = () => page.getByRole("button", { name: "Quiet hours: more" }).click();
      const find = async () => (await listAlerts()).find(({ name }) => name === "Quiet hours");
      await more();
      await page.getByRole("menuitem", { name: "Mute for a day" }).click();
      await waitFor("the mute", async () => ((await find())?.muted_until ?? null) !== null);
      await more();
      await page.getByRole("menuitem", { name: "Tell again" }).click();
      await waitFor("the end of the mute", async () => (await find())?.muted_until === null);
      await more();
      await page.getByRole("menuitem", { name: "Switch off" }).click();
      await waitFor("the switch", async () => (await find())?.status === "inactive");
      await expectAlerts(page);
      await more();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Delete it" }).click();
      await waitFor("the end", async () => (await find()) === undefined);
      await expectAlerts(page);
    });
  });

  test("an alert on wallets shows on which days it would have told of how many", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/alerts?edit=new");
      await page.getByRole("button", { name: "A wallet" }).click();
      const asked = { trigger_type: "user", trigger_filters: [], include_imported: false };
      const { wallets } = await post<AlertPreview>("/v0/alerts/preview", asked);
      assert.ok(wallets && wallets.matches > 0);
      await page.locator(".alert-would", { hasText: `told ${full(wallets.matches, "count")} time` }).waitFor();
      await page.getByText("The numbers of the days").click();
      await expectShown(
        "tellings by day",
        () => readTable(page.locator(".alert-days")),
        async () => wallets.days.map(({ date, matches }) => [shortDayText(date), full(matches, "count")]),
      );
      await expectAccessible(page, "the editor of an alert on wallets");
    });
  });

  test("a test says what each recipient answered", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/alerts");
      await page.getByRole("button", { name: "Swaps: more" }).click();
      await page.getByRole("menuitem", { name: "Send a test" }).click();
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.locator(".alert-results li", { hasText: "did not answer" }).waitFor();
      await expectAccessible(page, "a test", "dialog");
    });
  });

  /** Name and conditions of every alert, in the order of the API. */
  async function expectAlerts(page: Page): Promise<void> {
    await settle(page);
    await expectShown(
      "the alerts",
      async () => {
        if ((await page.locator(".alert-list").count()) === 0) return [];
        return (await readTable(page.locator(".alert-list .table"))).map((cells) => cells.slice(0, 2));
      },
      async () => (await listAlerts()).map((alert) => [alert.name, alertText(alert)]),
    );
  }

  async function expectEventPreview(page: Page, trigger_filters: readonly object[]): Promise<void> {
    const asked = { trigger_type: "event", trigger_filters, include_imported: false };
    const { events } = await post<AlertPreview>("/v0/alerts/preview", asked);
    assert.ok(events && events.matches > 0);
    await page.locator(".alert-would", { hasText: `told of ${full(events.matches, "count")} event` }).waitFor();
    await page.getByText("The numbers of the days").click();
    await expectShown(
      "matches by day",
      () => readTable(page.locator(".alert-days")),
      async () => events.days.map(({ date, matches }) => [shortDayText(date), full(matches, "count")]),
    );
  }
});
