/** A shared board in a real Chromium: without a cookie, in frames of allowed pages alone, with the numbers of the API. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { full } from "../../dashboard/src/format/numbers.ts";
import { watchPage } from "../support/browser.ts";
import { waitFor } from "../support/wait.ts";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import { addCharts, type BoardSite, callApi, makeBoard, openBoard, resultsOf } from "./board-site.ts";
import { startDashboard, visits } from "./dashboard-service.ts";
import { LOCALE, lastDays } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { readRanked, readTable } from "./shown-rows.ts";

interface Link {
  id: string;
  url: string;
}

const STEP = { type: "event", event: "page" };
const SQL =
  "SELECT toDate(timestamp) AS day, count() AS n FROM events WHERE toDate(timestamp) BETWEEN {{date_from}} AND {{date_to}} GROUP BY day ORDER BY day";
const CHARTS = [
  { chart_type: "number", title: "Visitors", report: "kpis", params: { interval: "all" }, y_axis: ["visitors"] },
  {
    chart_type: "bar",
    title: "Channels",
    report: "top_sources",
    params: { metric_column: "channel", limit: 10 },
    x_axis: "channel",
    y_axis: ["visitors"],
  },
  { chart_type: "line", title: "Events", query: SQL, x_axis: "day", y_axis: ["n"] },
  { chart_type: "funnel", title: "Steps", steps: [STEP, { type: "event", event: "connect" }] },
  { chart_type: "retention", title: "Back", settings: { layout: { width: 4, height: 2 } } },
  { chart_type: "table", title: "Countries", report: "top_locations" },
];

describe("a shared board in a real Chromium", () => {
  let site: BoardSite;
  let board: string;
  let ids: string[];
  before(async () => {
    site = await startDashboard();
    await site.send(visits());
    await site.makeFirstAccount();
    board = await makeBoard(site, "Launch", { description: "What the launch brought" });
    ids = await addCharts(site, board, CHARTS);
  });
  after(() => site.stop());

  const makeLink = (body: object = {}) => callApi<Link>(site, "POST", `/v0/boards/${board}/links`, body);

  const findLink = async (id: string) => {
    const { data } = await callApi<{ data: (Link & { uses: number })[] }>(site, "GET", `/v0/boards/${board}/links`);
    const link = data.find((one) => one.id === id);
    assert.ok(link);
    return link;
  };

  /** A browser that knows nothing of the dashboard. */
  async function visit(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
    const viewport = { width: 1440, height: 900 };
    const context = await site.chromium.browser.newContext({
      ...LOCALE,
      viewport,
      reducedMotion: "reduce",
      ...options,
    });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await use(page);
    } finally {
      await context.close();
    }
  }

  test("shows the rows of the API without a cookie, at each width and in both themes, and axe finds nothing", async () => {
    const { url } = await makeLink();
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1440, 390])
        await visit({ colorScheme, viewport: { width, height: 900 } }, async (page) => {
          const { problems } = watchPage(page);
          const sent: string[] = [];
          page.on("request", (request) => {
            const { cookie, referer } = request.headers();
            if (cookie !== undefined || referer?.includes("/s/")) sent.push(request.url());
          });
          await page.goto(url);
          await page.locator(".board-item").first().waitFor();
          await settle(page);
          const chart = (title: string) => page.locator(`section[aria-label="${title}"]`);
          assert.equal(await page.locator("h1").textContent(), "Launch");
          assert.deepEqual(
            await page.locator(".board-item h2").allTextContents(),
            CHARTS.map(({ title }) => title),
          );
          const days = lastDays(28);
          const [total] = await resultsOf(site, board, ids[0], days);
          const shown = await chart("Visitors").locator(".number-card strong").textContent();
          assert.equal(shown, full(Number(total?.visitors), "count"));
          const rows = await resultsOf(site, board, ids[1], days);
          assert.deepEqual(
            new Map((await readRanked(chart("Channels"))) as [string, string][]),
            new Map(rows.map(({ channel, visitors }) => [String(channel), full(Number(visitors), "count")])),
          );
          await page.getByRole("button", { name: "Events as a table" }).click();
          const byDay = await resultsOf(site, board, ids[2], days);
          assert.deepEqual(
            await readTable(chart("Events").locator("table")),
            byDay.map(({ day, n }) => [String(day), full(Number(n), "count")]),
          );
          await expectNoOverflow(page, `${width} ${colorScheme}`);
          await expectAccessible(page, `${width} ${colorScheme}`);
          assert.deepEqual([problems, sent, await page.context().cookies()], [[], [], []]);
        });
  });

  test("another period asks for its days, and a link with its own days has no choice", async () => {
    const [free, locked] = [await makeLink(), await makeLink({ days: 2 })];
    await visit({}, async (page) => {
      await page.goto(free.url);
      await settle(page);
      const asked = page.waitForResponse((answer) => answer.url().includes(`/charts/${ids[2]}?`));
      await page.getByLabel("Period").selectOption("today");
      const { searchParams } = new URL((await asked).url());
      assert.equal(searchParams.get("date_from"), searchParams.get("date_to"));
      await page.goto(locked.url);
      await settle(page);
      assert.equal(await page.getByLabel("Period").count(), 0);
      await page.getByRole("button", { name: "Events as a table" }).click();
      const rows = await resultsOf(site, board, ids[2], lastDays(2));
      assert.equal((await readTable(page.locator("section[aria-label=Events] table"))).length, rows.length);
    });
  });

  test("the period is in the address, also of a frame, which says its days; long lists are reached by keys", async () => {
    const { url } = await makeLink();
    await visit({}, async (page) => {
      const asked = page.waitForResponse((answer) => answer.url().includes(`/charts/${ids[2]}?`));
      await page.goto(`${url}?period=7d`);
      const { searchParams } = new URL((await asked).url());
      assert.deepEqual(Object.fromEntries(searchParams), lastDays(7));
      assert.equal(await page.getByLabel("Period").inputValue(), "7d");
      await page.getByLabel("Period").selectOption("today");
      await page.waitForURL(/period=today/);
      await settle(page);
      for (const title of ["Channels", "Steps"]) {
        const list = page.locator(`section[aria-label="${title}"] .table-scroll`);
        assert.equal(await list.getAttribute("tabindex"), "0", title);
      }
      await page.goto(`${url}?embed=1&period=7d`);
      await page.locator(".shared-days").getByText("UTC").waitFor();
      assert.match((await page.locator(".shared-days").textContent()) ?? "", /\d/);
    });
  });

  test("an open page goes on at midnight, takes new charts, and ends with its link", async () => {
    const link = await makeLink();
    const [yesterday, today] = [lastDays(2), lastDays(1)];
    await visit({}, async (page) => {
      await page.clock.install({ time: new Date(`${yesterday.date_from}T23:59:00Z`) });
      await page.goto(`${link.url}?period=today`);
      const days = page.locator(".shared-days span").last();
      await page.locator(".number-card strong").waitFor();
      const before = await days.textContent();
      const asked = page.waitForResponse((answer) => answer.url().includes(`/charts/${ids[0]}?`));
      await page.clock.runFor(90_000);
      assert.equal(new URL((await asked).url()).searchParams.get("date_from"), today.date_from);
      assert.notEqual(await days.textContent(), before);
      const { uses } = await findLink(link.id);
      const [added] = await addCharts(site, board, [{ ...CHARTS[0], title: "Added" }]);
      await page.clock.runFor(61_000);
      await page.locator("section[aria-label=Added]").waitFor();
      await callApi(site, "DELETE", `/v0/boards/${board}/charts/${added}`);
      assert.equal((await findLink(link.id)).uses, uses, "the page was opened once");
      await page.route("**/api/shared/*/charts/**", (route) => route.fulfill({ status: 400, json: {} }));
      await page.clock.runFor(61_000);
      await page.getByText("Numbers from before").first().waitFor();
      await page.unroute("**/api/shared/*/charts/**");
      await callApi(site, "DELETE", `/v0/boards/${board}/links/${link.id}`);
      await page.clock.runFor(61_000);
      await page.getByRole("heading", { name: "This link does not work" }).waitFor();
    });
  });

  test("a link that leaves every chart out says so", async () => {
    const other = await makeBoard(site, "SQL alone");
    await addCharts(site, other, [CHARTS[2] ?? {}]);
    const filters = [{ field: "device", op: "eq", value: "mobile" }];
    const { url } = await callApi<Link>(site, "POST", `/v0/boards/${other}/links`, { filters });
    await visit({}, async (page) => {
      await page.goto(url);
      await page.getByText("Nothing of this board can be shown by this link").waitFor();
    });
  });

  test("a password opens it and is asked once; a revoked link says so", async () => {
    const link = await makeLink({ password: "correct horse" });
    await visit({}, async (page) => {
      await page.goto(link.url);
      await page.getByRole("heading", { name: "This board has a password" }).waitFor();
      assert.ok(!(await page.content()).includes("Launch"));
      await expectAccessible(page, "password");
      await page.getByLabel("Password").fill("wrong horse");
      await page.getByRole("button", { name: "Open the board" }).click();
      await page.getByRole("alert").getByText("This is not the password").waitFor();
      await page.getByLabel("Password").fill("correct horse");
      await page.getByRole("button", { name: "Open the board" }).click();
      await page.getByRole("heading", { name: "Launch" }).waitFor();
      await settle(page);
      await page.reload();
      await page.getByRole("heading", { name: "Launch" }).waitFor();
      await callApi(site, "DELETE", `/v0/boards/${board}/links/${link.id}`);
      await page.reload();
      await page.getByRole("heading", { name: "This link does not work" }).waitFor();
      await expectAccessible(page, "revoked");
    });
  });

  test("it is shown in a frame of an allowed origin, without its head, and in no other", async () => {
    let frame = "";
    const host = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<!doctype html><title>Host</title><iframe id="it" src="${frame}" width="900" height="600"></iframe>`,
      );
    });
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    const { port } = host.address() as AddressInfo;
    try {
      const allowed = `http://allowed.example:${port}`;
      const link = await makeLink({ frame_ancestors: [allowed], password: "correct horse" });
      const shows = async (origin: string, url: string) => {
        let isShown = false;
        frame = url;
        await visit({}, async (page) => {
          const answered = page.waitForResponse((answer) => answer.url() === url);
          await page.goto(origin);
          await answered;
          const inside = page.frameLocator("#it");
          const password = inside.getByLabel("Password");
          const isRefused = () => page.frames()[1]?.url().startsWith("chrome-error:") === true;
          await waitFor("the frame", async () => isRefused() || (await password.count()) > 0);
          isShown = !isRefused();
          if (!isShown) return;
          await password.fill("correct horse");
          await inside.getByRole("button", { name: "Open the board" }).click();
          await inside.locator(".number-card strong").waitFor();
          assert.equal(await inside.locator(".shared-head").count(), 0);
        });
        return isShown;
      };
      assert.equal(await shows(allowed, `${link.url}?embed=1`), true);
      assert.equal(await shows(`http://other.example:${port}`, `${link.url}?embed=1`), false);
      assert.equal(await shows(allowed, link.url), false, "only with embed=1");
    } finally {
      host.close();
    }
  });

  test("a member makes a link in the dialog of the board, sees its use, and revokes it", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openBoard(site, page, board, "&f=device:eq:desktop");
      await page.getByRole("button", { name: "Share", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Share Launch" });
      await dialog.getByRole("button", { name: "New link" }).click();
      await dialog.getByLabel("For whom").fill("Investors");
      await dialog.getByLabel("Until").fill("2099-01-01");
      await dialog.getByLabel("Password").fill("correct horse");
      await dialog.getByLabel("Days").selectOption("30");
      await dialog.getByLabel("Pages that may embed it").fill("https://example.com/ https://example.org");
      await expectAccessible(page, "share dialog", "dialog[open]");
      await dialog.getByRole("button", { name: "Make the link" }).click();
      const row = dialog.locator(".share-link", { hasText: "Investors" });
      await row.waitFor();
      const { data } = await callApi<{ data: (Link & Record<string, unknown>)[] }>(
        site,
        "GET",
        `/v0/boards/${board}/links`,
      );
      const made = data.find(({ title }) => title === "Investors");
      assert.deepEqual(
        [made?.has_password, made?.days, made?.frame_ancestors, made?.expires_at],
        [true, 30, ["https://example.com", "https://example.org"], "2099-01-01T23:59:59.000Z"],
      );
      assert.match((await row.textContent()) ?? "", /with a password.*the last 30 days.*Never opened/);
      await row.getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("dialog", { name: "Revoke Investors" }).getByRole("button", { name: "Revoke" }).click();
      await row.waitFor({ state: "detached" });
    });
  });
});
