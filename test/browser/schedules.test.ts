/** Scheduled reports in a real Chromium: what the page shows is the API's, and nothing of a secret is among it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { nextText, recipientText, rhythmText } from "../../dashboard/src/format/schedule-words.ts";
import { testText } from "../../dashboard/src/ui/telling/reasons.ts";
import type { AlertTestResult as TestResult } from "../../src/contract/alerts.ts";
import type { ScheduleView as Schedule } from "../../src/contract/report-schedules.ts";
import { startMailServer, type TestMailServer } from "../support/mail-server.ts";
import { startTarget, type Target } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import { type DashboardService, startDashboard, visits } from "./dashboard-service.ts";
import { LOCALE } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, readTable } from "./shown-rows.ts";
import { openApp } from "./wallet-site.ts";

const ADDRESS = "ada@example.com";
const PHONE = { ...LOCALE, colorScheme: "dark", viewport: { width: 390, height: 900 } } as const;

describe("scheduled reports in a real Chromium", () => {
  let site: DashboardService;
  let smtp: TestMailServer;
  let slack: Target;
  before(async () => {
    smtp = await startMailServer();
    slack = await startTarget((response) => response.end("ok"));
    site = await startDashboard({ SEXTANT_SMTP_URL: smtp.url, SEXTANT_MAIL_FROM: "Sextant <reports@example.com>" });
    await site.send(visits());
    await site.makeFirstAccount();
  });
  after(async () => {
    await site.stop();
    await slack.close();
    await smtp.stop();
  });

  const list = async () => (await ask<{ data: Schedule[] }>(site, "/v0/report_schedules", {})).data;
  const find = async (title: string) => (await list()).find((one) => one.title === title);
  const more = (page: Page, title: string) => page.getByRole("button", { name: `${title}: more` }).click();
  const choose = (page: Page, name: string) => page.getByRole("menuitem", { name }).click();

  test("one is made from a board, sent as a test, changed, paused and deleted, and the page shows what the API answers", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/settings");
      await page.getByRole("link", { name: "Scheduled reports" }).click();
      await page.getByText("No report comes by itself yet").waitFor();
      await expectAccessible(page, "no scheduled reports");
      const { id: board } = await post<{ id: string }>("/v0/boards", { title: "Growth" });
      await openApp(site, page, `/boards/board?board=${board}`);
      await page.getByRole("button", { name: "The board: more" }).click();
      await choose(page, "Send it by schedule");
      await page.getByLabel("Title", { exact: true }).fill("Weekly numbers");
      assert.equal(await page.getByLabel("About", { exact: true }).inputValue(), board);
      await page.getByLabel("Day", { exact: true }).selectOption({ value: "5" });
      await page.getByLabel("Time", { exact: true }).selectOption({ value: "17" });
      await page.getByLabel("Time zone", { exact: true }).fill("Asia/Kolkata");
      await page.getByLabel("Address 1", { exact: true }).fill(ADDRESS);
      await page.getByRole("button", { name: "Recipient", exact: true }).click();
      await page.getByLabel("Recipient 2", { exact: true }).selectOption({ value: "slack" });
      await page.getByLabel("Address 2", { exact: true }).fill(`${slack.url}/services/T0/SECRETPART`);
      await expectAccessible(page, "the editor of a scheduled report");
      await page.getByLabel("Title", { exact: true }).press("Enter");
      await page.waitForURL(/schedule=rsc_/);
      await page.getByText("Nothing was sent yet").waitFor();
      await expectSchedules(page);
      const made = await find("Weekly numbers");
      assert.deepEqual(
        [made?.board_id, made?.every, made?.weekday, made?.hour, made?.timezone],
        [board, "week", 5, 17, "Asia/Kolkata"],
      );
      assert.ok(!(await page.content()).includes("SECRETPART"));
      await waitFor("the mail that asks the owner", () => smtp.mails.some(({ to }) => to.includes(ADDRESS)));
      await expectAccessible(page, "the list of scheduled reports");

      await more(page, "Weekly numbers");
      await choose(page, "Send a test now");
      await page.getByRole("button", { name: "Send it" }).click();
      await page.getByText("is on its way to 2 recipients").waitFor();
      await expectAccessible(page, "a test of a scheduled report", "dialog");
      await waitFor("the test in Slack", () => slack.received.some(({ path }) => path.endsWith("SECRETPART")));
      await page.getByRole("button", { name: "Close", exact: true }).last().click();

      await more(page, "Weekly numbers");
      await choose(page, "Edit");
      await page.getByRole("button", { name: "Every month" }).click();
      await page.getByLabel("About", { exact: true }).selectOption({ value: "" });
      await page.getByRole("button", { name: "Save" }).click();
      await waitFor("the change", async () => (await find("Weekly numbers"))?.every === "month");
      assert.equal((await find("Weekly numbers"))?.recipients.length, 2, "a hidden URL that is sent back stays");
      await expectSchedules(page);
      await more(page, "Weekly numbers");
      await choose(page, "Pause");
      await waitFor("the pause", async () => (await find("Weekly numbers"))?.next_at === null);
      await expectSchedules(page);
      await more(page, "Weekly numbers");
      await choose(page, "Go on");
      await waitFor("the next time", async () => (await find("Weekly numbers"))?.active === true);
      await expectSchedules(page);
    });
    await site.withPage(PHONE, async (page) => {
      await openApp(site, page, "/schedules");
      await page.getByRole("button", { name: "Weekly numbers: more" }).waitFor();
      await expectAccessible(page, "the list on a dark phone");
      await expectNoOverflow(page, "the list on a dark phone");
      await openApp(site, page, "/schedules?edit=new");
      await expectAccessible(page, "the editor on a dark phone");
      await expectNoOverflow(page, "the editor on a dark phone");
      await openApp(site, page, "/schedules");
      await more(page, "Weekly numbers");
      await choose(page, "Delete");
      await page.getByRole("button", { name: "Delete it" }).click();
      await page.getByText("No report comes by itself yet").waitFor();
      assert.deepEqual(await list(), []);
    });
  });

  test("a tested alert says of each recipient what became of it, as the API does, and the mail is there", async () => {
    const addresses = { yes: "yes@example.com", silent: "silent@example.com" };
    const { id } = await post<{ id: string }>("/v0/alerts", {
      ...{ name: "Purchase", trigger_type: "event", trigger_filters: [] },
      recipient: [
        { type: "email", value: Object.values(addresses) },
        { type: "slack", value: [`${slack.url}/services/T0/TESTSECRET`] },
      ],
    });
    const asking = await waitFor("the mail that asks", () => smtp.mails.find(({ to }) => to.includes(addresses.yes)));
    const link = /https?:\/\/\S+\/m\/[\w.-]+/.exec(asking.text)?.[0] ?? "";
    await site.withPage({ ...LOCALE, storageState: { cookies: [], origins: [] } }, async (page) => {
      await page.goto(link);
      await page.getByRole("button", { name: "Confirm" }).click();
      await page.getByRole("heading", { name: "Your address is confirmed" }).waitFor();
    });
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/alerts");
      await more(page, "Purchase");
      await choose(page, "Send a test");
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.locator(".alert-results li").nth(2).waitFor();
      const { results } = await post<{ results: TestResult[] }>(`/v0/alerts/${id}/test`, {}, 200);
      const shown = await page.locator(".alert-results li").allTextContents();
      assert.deepEqual(
        shown.map((text) => text.trim()).sort(),
        results.map((result) => `${result.url} ${testText(result)}`).sort(),
      );
      assert.ok(shown.some((text) => text.includes(`${addresses.yes} is mailed`)));
      assert.ok(shown.some((text) => text.includes(`${addresses.silent} got nothing: its owner has not confirmed`)));
      assert.ok(!(await page.content()).includes("TESTSECRET"));
      await expectAccessible(page, "a test by mail", "dialog");
    });
    const subjects = smtp.mails
      .filter(({ to }) => to.includes(addresses.yes))
      .map(({ headers }) => headers.get("subject"));
    assert.deepEqual(
      subjects.slice(1),
      ["Test: Purchase: test", "Test: Purchase: test"],
      "one of the page, one of the API",
    );
  });

  test("the time zone of a project is chosen in the settings, and reports, new schedules and pages follow it", async () => {
    const zone = "Asia/Kolkata";
    const zoneOf = async () => (await ask<{ timezone: string }>(site, "/v0/kpis", { interval: "all" })).timezone;
    assert.equal(await zoneOf(), "UTC");
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/settings");
      const field = page.getByLabel("Time zone");
      const save = () => page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Change", exact: true }).click();
      assert.equal(await field.inputValue(), "UTC");
      await field.fill("Kolkata");
      await save();
      await page.getByRole("alert").waitFor();
      assert.equal(await zoneOf(), "UTC", "a part of a name is none");
      await field.fill(zone);
      await expectAccessible(page, "the settings of a project", "dialog");
      await save();
      await page.locator("dialog").waitFor({ state: "detached" });
      await page.locator("[data-label='Time zone']", { hasText: zone }).waitFor();
      assert.equal(await zoneOf(), zone);
      await openApp(site, page, "/schedules?edit=new");
      await waitFor("the zone of a new one", async () => (await page.getByLabel("Time zone").inputValue()) === zone);
      const made = await post<Schedule>("/v0/report_schedules", { title: "Zoned", every: "week", recipients: [] });
      assert.equal(made.timezone, zone);
      await openApp(site, page, "/schedules");
      await expectShown(
        "when it comes",
        async () => (await readTable(page.locator(".schedule-list .table"))).map((cells) => cells.slice(2, 4)),
        async () => (await list()).map((one) => [rhythmText(one), nextText(one)]),
      );
    });
  });

  async function post<T>(path: string, body: object, status = 201): Promise<T> {
    const { apiKey, projectId: project_id } = site.credentials;
    const answer = await fetch(`${site.service.apiUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(status === 201 ? { project_id, ...body } : body),
    });
    assert.equal(answer.status, status, await answer.clone().text());
    return (await answer.json()) as T;
  }

  async function expectSchedules(page: Page): Promise<void> {
    await settle(page);
    await expectShown(
      "the scheduled reports",
      async () => (await readTable(page.locator(".schedule-list .table"))).map((cells) => cells.slice(0, 5)),
      async () =>
        (await list()).map((one) => [
          one.title,
          one.board_id === null ? "The project" : "Growth",
          rhythmText(one),
          nextText(one),
          one.recipients.map(recipientText).join(""),
        ]),
    );
  }
});
