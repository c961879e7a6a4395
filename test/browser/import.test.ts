/** Importing a file in a real Chromium: what the page shows is the API's. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { full } from "../../dashboard/src/format/numbers.ts";
import type { ImportedDay } from "../../src/contract/imports.ts";
import { makeZip } from "../imports/archives.ts";
import { waitFor } from "../support/wait.ts";
import { expectAccessible } from "./accessible.ts";
import { type DashboardService, startDashboard } from "./dashboard-service.ts";
import { LOCALE } from "./demo-site.ts";
import { askAs, expectImports, expectPreview, listImports } from "./import-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, type Query, readTable } from "./shown-rows.ts";
import { openApp } from "./wallet-site.ts";

const UMAMI = join(import.meta.dirname, "../imports/fixtures/umami.csv");
const PLAUSIBLE = join(import.meta.dirname, "../imports/fixtures/plausible");
const ORDERS = "paid_at,customer,total\n2024-03-01T10:00:00Z,a,1\nnever,b,2\n2024-03-02T10:00:00Z,c,3\n";

describe("imports in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDashboard();
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  test("an export is known, looked at and imported, and its refused rows are downloaded", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/import");
      await page.getByText("Nothing was imported yet").waitFor();
      await page.locator("input[type=file]").setInputFiles(UMAMI);
      await page.waitForURL(/import=upl_/);
      const [item] = await listImports(page);
      assert.ok(item?.state === "ready" && item.receivedBytes === item.fileBytes);
      await page.getByLabel("It is an export of").waitFor();
      assert.equal(await page.getByLabel("It is an export of").inputValue(), "umami");
      const preview = await expectPreview(page, item.id, {});
      assert.deepEqual([preview.rows, preview.events], [3, 2]);
      await expectAccessible(page, "the preview of an export");
      await page.getByRole("button", { name: "Import the file" }).click();
      await waitFor("the import", async () => (await listImports(page))[0]?.state === "done");
      await page.getByText("Imported", { exact: true }).waitFor();
      await expectImports(page);
      const downloading = page.waitForEvent("download");
      await page.getByRole("link", { name: "1 refused rows of umami.csv" }).click();
      const refused = readFileSync(await (await downloading).path(), "utf8")
        .trim()
        .split("\n");
      assert.equal(refused.length, 1);
      assert.equal((JSON.parse(refused[0] ?? "") as { line: number }).line > 1, true);
    });
  });

  test("a table of one's own is mapped column by column, with the keyboard, and is deleted", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/import");
      const file = { name: "orders.csv", mimeType: "text/csv", buffer: Buffer.from(ORDERS) };
      await page.locator("input[type=file]").setInputFiles(file);
      await page.waitForURL(/import=upl_/);
      await page.getByText("No event can be read like this.").waitFor();
      const start = page.getByRole("button", { name: "Import the file" });
      assert.ok(await start.isDisabled());
      await page.getByLabel("Time", { exact: true }).focus();
      await page.keyboard.type("p");
      await page.getByLabel("User id", { exact: true }).selectOption("customer");
      await page.getByLabel("Name of the event", { exact: true }).selectOption({ label: "the same for every row…" });
      await page.getByLabel("Name of the event of every row").fill("Order");
      const [item] = await listImports(page);
      const columns = { timestamp: "paid_at", user_id: "customer" };
      await expectPreview(page, item?.id ?? "", { source: "generic", columns, values: { event: "Order" } });
      await start.focus();
      await page.keyboard.press("Enter");
      await waitFor("the import", async () => (await listImports(page))[0]?.state === "done");
      await settle(page);
      await expectImports(page);
      const [done] = await listImports(page);
      assert.deepEqual([done?.rows, done?.events, done?.refused], [3, 2, 1]);
      const row = page.locator(".import-list tbody tr", { hasText: "orders.csv" });
      await row.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Delete it" }).click();
      await row.waitFor({ state: "detached" });
      assert.ok((await listImports(page)).every(({ fileName }) => fileName !== "orders.csv"));
    });
  });

  test("a list of wallets is known, its column made a label, and its wallets lead to their profiles", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/import");
      const wallet = `0x${"5e".repeat(20)}`;
      const text = `wallet,Tier\n${wallet},gold\nnobody,\n`;
      const file = { name: "holders.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
      await page.locator("input[type=file]").setInputFiles(file);
      await page.waitForURL(/import=upl_/);
      await page.getByText("All 2 rows are 1 wallets").waitFor();
      assert.equal(await page.getByLabel("It is an export of").inputValue(), "wallets");
      await page.getByLabel("Another field").selectOption({ label: "Label tier" });
      await page.locator(".import-events", { hasText: '[{"tag_id":"tier","value":"gold"}]' }).waitFor();
      await expectAccessible(page, "the preview of a list of wallets");
      await page.getByRole("button", { name: "Import the file" }).click();
      await waitFor("the import", async () => (await listImports(page))[0]?.state === "done");
      await page.locator(".import-list td", { hasText: "1 wallets" }).waitFor();
      await openApp(site, page, `/wallets/wallet?address=${wallet}`);
      await page.getByText("gold").waitFor();
    });
  });

  /** The chart of a board, its switch, and the same board by a public link. */
  async function expectOnBoard(page: Page): Promise<void> {
    const { board, shared } = await makeBoard(page);
    const shown = page.locator(".board-chart .number-card");
    const badge = (words: string) => page.locator(".board-chart .imported-badge", { hasText: words }).waitFor();
    await openApp(site, page, `/boards/board?board=${board}&period=custom&from=2024-01-01&to=2024-01-03`);
    await badge("includes imported days");
    await shown.filter({ hasText: "37" }).waitFor();
    const line = page.locator(".bots-line", { hasText: /imported days/i });
    await line.getByRole("button", { name: "leave them out" }).click();
    await page.waitForURL(/imported=false/);
    await badge("without imported days");
    await shown.filter({ hasText: "0" }).waitFor();
    await line.getByRole("button", { name: "include them" }).click();
    await page.waitForURL((url) => !url.search.includes("imported="));
    await badge("includes imported days");
    await page.goto(shared);
    await badge("includes imported days");
  }

  /** With a number of visitors, and a link that shows the imported days. */
  async function makeBoard(page: Page): Promise<{ board: string; shared: string }> {
    const post = async <T>(path: string, data: object): Promise<T> => {
      const answer = await page.context().request.post(new URL(path, page.url()).href, { data });
      assert.ok(answer.ok(), `${path}: ${answer.status()} ${await answer.text()}`);
      return (await answer.json()) as T;
    };
    const { projectId } = (await listImports(page))[0] ?? { projectId: "" };
    const { id } = await post<{ id: string }>("/v0/boards", { title: "History", project_id: projectId });
    const chart = { chart_type: "number", title: "Visitors", report: "kpis", params: { interval: "all" } };
    await post(`/v0/boards/${id}/charts`, { ...chart, y_axis: ["visitors"] });
    const days = { date_from: "2024-01-01", date_to: "2024-01-03" };
    const link = await post<{ url: string }>(`/v0/boards/${id}/links`, days);
    return { board: id, shared: link.url };
  }

  test("the zip of Plausible is imported: its days are marked in reports and on boards with a switch, and deleted exactly", async () => {
    // Events of the tests above are of later days.
    const files = readdirSync(PLAUSIBLE).map((name) => [name, readFileSync(join(PLAUSIBLE, name))] as const);
    const zip = { name: "plausible.zip", mimeType: "application/zip", buffer: makeZip(Object.fromEntries(files)) };
    const window = { date_from: "2024-01-01", date_to: "2024-01-03" };
    const visitors = async (query: Query = {}) =>
      full(Number((await ask(site, "/v0/kpis", { ...window, ...query, interval: "all" })).data[0]?.visitors), "count");
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/import");
      await page.locator("input[type=file]").setInputFiles(zip);
      await page.waitForURL(/import=upl_/);
      await page.getByText("The sums of 3 days would be added to reports, from 2024-01-01 to 2024-01-03.").waitFor();
      assert.deepEqual(
        (await readTable(page.locator(".import-reading .import-days"))).map((cells) => cells.slice(0, 2)),
        [
          ["2024-01-01", "10"],
          ["2024-01-02", "20"],
          ["2024-01-03", "7"],
        ],
      );
      await expectAccessible(page, "the preview of days");
      // What the file is not is said, and another choice can be made.
      await page.getByLabel("It is an export of").selectOption("umami");
      await page.getByText("No event can be read like this.").waitFor();
      await page.getByLabel("It is an export of").selectOption("plausible");
      await page.getByText("The sums of 3 days").waitFor();
      await page.getByRole("button", { name: "Import the file" }).click();
      await waitFor("the import", async () => (await listImports(page))[0]?.state === "done");
      await settle(page);
      await expectImports(page);
      const item = (await listImports(page)).find(({ days }) => days !== null);
      assert.ok(item && item.rows > 30 && item.isUpload);
      await page.getByRole("button", { name: "days 2024-01-01 to 2024-01-03" }).click();
      await expectShown(
        "the days",
        () => readTable(page.locator(".import-days")),
        async () =>
          (await askAs<ImportedDay[]>(page, `/api/imports/${item.id}/days`)).map((row) => [
            row.day,
            ...[row.visitors, row.visits, row.pageviews, row.bounces].map((count) => full(count, "count")),
            row.isCounted ? "yes" : "no",
          ]),
      );
      await expectAccessible(page, "the days of an import", "dialog[open]");
      await page.keyboard.press("Escape");

      const shown = page.locator(".headline-card", { hasText: "Visitors" }).locator(".headline-value");
      const expectVisitors = (query: Query) =>
        expectShown(
          `visitors with ${JSON.stringify(query)}`,
          async () => [[(await shown.getAttribute("title")) ?? ""]],
          async () => [[await visitors(query)]],
        );
      await openApp(site, page, "?period=custom&from=2024-01-01&to=2024-01-03");
      await page.locator(".trend .imported-badge", { hasText: "includes imported days" }).waitFor();
      await expectVisitors({});
      await expectAccessible(page, "a report with imported days");
      // Bots have a line of the same kind.
      const line = page.locator(".bots-line", { hasText: /imported days/i });
      await line.getByRole("button", { name: "leave them out" }).click();
      await page.waitForURL(/imported=false/);
      await settle(page);
      await page.locator(".trend .imported-badge", { hasText: "without imported days" }).waitFor();
      await expectVisitors({ imported: "false" });
      assert.notEqual(await visitors(), await visitors({ imported: "false" }));
      await line.getByRole("button", { name: "include them" }).click();
      await page.waitForURL((url) => !url.search.includes("imported="));
      await settle(page);
      await expectVisitors({});

      await expectOnBoard(page);

      await openApp(site, page, "/import");
      const row = page.locator(".import-list tbody tr", { hasText: "plausible" });
      await row.getByRole("button", { name: "Delete" }).click();
      await page.getByText("Its days leave all reports").waitFor();
      await page.getByRole("button", { name: "Delete it" }).click();
      await row.waitFor({ state: "detached" });
      assert.equal(await visitors(), "0");
      await openApp(site, page, "?period=custom&from=2024-01-01&to=2024-01-03");
      assert.equal(await page.locator(".imported-badge").count(), 0);
    });
  });
});
