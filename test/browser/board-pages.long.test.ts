/** The pages of boards where something goes wrong or is changed by somebody else, in a real Chromium. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { waitFor } from "../support/wait.ts";
import { addCharts, type BoardSite, callApi, chartsOf, makeBoard, openBoard } from "./board-site.ts";
import { startDashboard, visits } from "./dashboard-service.ts";
import { LOCALE } from "./demo-site.ts";
import { settle } from "./settle.ts";

const BY_DAY =
  "SELECT toDate(timestamp) AS day, count() AS n FROM events WHERE toDate(timestamp) >= {{date_from}} AND " +
  "toDate(timestamp) <= {{date_to}} GROUP BY day ORDER BY day";
const LAYOUT = { layout: { width: 2, height: 2 } };
const BARS = { chart_type: "bar", title: "Bars", query: BY_DAY, x_axis: "day", y_axis: ["n"], settings: LAYOUT };
const NUMBER = {
  chart_type: "number",
  title: "Visitors",
  report: "kpis",
  params: { interval: "all" },
  y_axis: ["visitors"],
};

describe("the pages of boards", () => {
  let site: BoardSite;
  before(async () => {
    site = await startDashboard();
    await site.send(visits());
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  const panel = (page: Page, title: string) => page.locator(`.board-item section.panel[aria-label="${title}"]`);
  const choose = async (page: Page, title: string, command: string) => {
    await page.getByRole("button", { name: `${title}: more` }).click();
    await page.getByRole("menuitem", { name: new RegExp(`^${command}`) }).click();
  };
  const focused = (page: Page) =>
    page.evaluate(`(() => {
    const { activeElement } = document;
    return activeElement.getAttribute("name") ?? activeElement.textContent.trim();
  })()`);

  test("another project leads to its boards, and a link shows the project of its board", async () => {
    const board = await makeBoard(site, "Of the first");
    await addCharts(site, board, [NUMBER]);
    await site.withPage(LOCALE, async (page) => {
      await page.goto(`${site.service.apiUrl}/app`);
      const first = (await page.locator(".project-button strong").textContent()) ?? "";
      await page.locator(".project-button").click();
      await page.getByRole("menuitem", { name: "New project" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("Second");
      await page.getByRole("dialog").getByRole("button", { name: "Make it" }).click();
      await page.waitForURL(/project=prj_/);
      const second = new URL(page.url()).searchParams.get("project") ?? "";
      await openBoard(site, page, board, `&project=${second}`);
      assert.equal(await page.locator(".project-button strong").textContent(), first);
      assert.notEqual(new URL(page.url()).searchParams.get("project"), second);
      await page.locator(".project-button").click();
      await page.getByRole("menuitemradio", { name: "Second" }).click();
      await page.waitForURL(/\/app\/boards\?/);
      await page.locator(".project-button", { hasText: "Second" }).waitFor();
      await page.getByRole("button", { name: "Use Growth" }).waitFor();
      const { searchParams } = new URL(page.url());
      assert.deepEqual([searchParams.get("project"), searchParams.get("board")], [second, null]);
      // The palette does the same.
      await openBoard(site, page, board);
      await page.keyboard.press("Control+K");
      await page.getByRole("combobox", { name: "Search pages and actions" }).fill("project second");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/app\/boards\?/);
    });
  });

  test("a refetch that fails leaves the editor with everything that was typed", async () => {
    const board = await makeBoard(site, "Unsteady");
    await addCharts(site, board, [NUMBER]);
    await site.withPage(LOCALE, async (page) => {
      await openBoard(site, page, board, "&edit=new");
      await page.getByLabel("Title").fill("Half an hour of work");
      let refused = 0;
      const busy = { status: 429, json: { error: { code: "TOO_MANY_REQUESTS", message: "Wait" } } };
      for (const path of [`**/v0/boards/${board}`, `**/v0/boards/${board}/charts?**`])
        await page.route(path, async (route) => {
          await route.fulfill(busy);
          refused += 1;
        });
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      await waitFor("the refetch to fail", () => refused >= 2);
      await page.locator(".failure-bar").waitFor();
      assert.equal(await page.getByLabel("Title").inputValue(), "Half an hour of work");
    });
  });

  test("a board that is not there says so after one request", async () => {
    await site.withPage(LOCALE, async (page) => {
      const asked: string[] = [];
      page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
      await page.goto(`${site.service.apiUrl}/app/boards/board?board=brd_nothing`);
      await page.getByRole("alert").getByText("There is no such board").waitFor();
      assert.equal(asked.filter((path) => path === "/v0/boards/brd_nothing").length, 1);
    });
  });

  test("a resize changes the drawing at once, and nothing that somebody else has changed", async () => {
    const board = await makeBoard(site, "Resized");
    const [id] = await addCharts(site, board, [BARS]);
    await site.withPage(LOCALE, async (page) => {
      await openBoard(site, page, board);
      const height = async () => Number(await panel(page, "Bars").locator(".chart > svg").getAttribute("height"));
      assert.equal(await height(), 232);
      await callApi(site, "PATCH", `/v0/boards/${board}/charts/${id}`, { title: "Renamed elsewhere" });
      const sent = page.waitForRequest((request) => request.method() === "PATCH");
      await choose(page, "Bars", "Taller");
      assert.deepEqual((await sent).postDataJSON(), { settings: { layout: { width: 2, height: 3 } } });
      await panel(page, "Renamed elsewhere").waitFor();
      const [saved] = await chartsOf(site, board);
      assert.deepEqual([saved?.title, saved?.settings?.layout], ["Renamed elsewhere", { width: 2, height: 3 }]);
      const { height: shown } = (await page.locator(".board-item .chart > svg").boundingBox()) ?? { height: 0 };
      assert.equal(shown, 452);
    });
  });

  test("a pointer that drags a chart over one place draws nothing again", async () => {
    const board = await makeBoard(site, "Dragged");
    await addCharts(site, board, [NUMBER, BARS]);
    await site.withPage(LOCALE, async (page) => {
      await openBoard(site, page, board);
      const grip = await page.getByRole("button", { name: /^Move Visitors/ }).boundingBox();
      const target = await panel(page, "Bars").boundingBox();
      assert.ok(grip && target);
      const x = target.x + target.width - 40;
      await page.mouse.move(grip.x + 8, grip.y + 8);
      await page.mouse.down();
      await page.mouse.move(x, target.y + 40, { steps: 4 });
      await page.locator(".drop-after").waitFor();
      // Each drawing of a panel asks what time it is, and so does each answer: nothing else is asked meanwhile.
      await page.route(/\/(v0|api)\//, () => undefined);
      await page.evaluate("{ const now = Date.now; window.asked = 0; Date.now = () => (window.asked++, now()); }");
      await page.mouse.move(x, target.y + 80, { steps: 40 });
      const asked = Number(await page.evaluate("window.asked"));
      await page.mouse.up();
      await page.getByText("Visitors moved to place 2 of 2").waitFor({ state: "attached" });
      assert.ok(asked < 40, `${asked} times in 40 moves`);
    });
  });

  test("a changed question never stands with the numbers of the old one", async () => {
    const board = await makeBoard(site, "Changed");
    const [id] = await addCharts(site, board, [{ chart_type: "number", title: "Old", query: "SELECT 111 AS n" }]);
    await site.withPage(LOCALE, async (page) => {
      await openBoard(site, page, board);
      await panel(page, "Old").getByText("111").waitFor();
      await choose(page, "Old", "Edit");
      await page.getByLabel("Title").fill("New");
      await page.locator(".sql-editor").click();
      await page.keyboard.press("Control+A");
      await page.keyboard.type("SELECT 222 AS n");
      await page.locator(".editor-preview").getByText("222").waitFor();
      // The answer to the new question is late.
      const { promise: late, resolve: answer } = Promise.withResolvers<void>();
      await page.route(`**/charts/${id}?include=results**`, async (route) => {
        await late;
        await route.continue();
      });
      await page.getByRole("button", { name: "Save" }).click();
      await panel(page, "New").waitFor();
      assert.equal(await panel(page, "New").getByText("111").count(), 0);
      answer();
      await panel(page, "New").getByText("222").waitFor();
    });
  });

  test("what cannot be drawn keeps its menu, and a file that cannot be made says so", async () => {
    const board = await makeBoard(site, "Odd");
    const odd = {
      chart_type: "bar",
      title: "Odd",
      report: "top_sources",
      settings: { drawn: { type: "trend", look: {} } },
    };
    await addCharts(site, board, [odd, NUMBER]);
    await site.withPage(LOCALE, async (page) => {
      // What cannot be drawn is noted by React.
      page.removeAllListeners("console");
      page.removeAllListeners("pageerror");
      await openBoard(site, page, board);
      await panel(page, "Odd").getByText("This chart cannot be drawn as it was saved.").waitFor();
      await choose(page, "Odd", "Download CSV");
      await panel(page, "Odd").getByText("The file could not be made.").waitFor();
      const downloading = page.waitForEvent("download");
      await choose(page, "Visitors", "Download PNG");
      assert.match((await downloading).suggestedFilename(), /^.+_visitors_\d{4}-\d{2}-\d{2}_\d{4}-\d{2}-\d{2}\.png$/);
      await page.evaluate("HTMLCanvasElement.prototype.toBlob = (done) => done(null)");
      await choose(page, "Visitors", "Download PNG");
      await panel(page, "Visitors").getByText("The file could not be made.").waitFor();
      await choose(page, "Odd", "Edit");
      await page.getByRole("radio", { name: "Pie" }).check();
      await page.locator(".editor-preview .pie-list li").first().waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await panel(page, "Odd").locator(".pie-list li").first().waitFor();
    });
  });

  test("before the first answer no file is offered, and a copy says whether it was made", async () => {
    const board = await makeBoard(site, "Copied");
    await addCharts(site, board, [NUMBER]);
    await site.withPage(LOCALE, async (page) => {
      const { promise: late, resolve: answer } = Promise.withResolvers<void>();
      await page.route("**/charts/cht_*?include=results**", async (route) => {
        await late;
        await route.continue();
      });
      await page.goto(`${site.service.apiUrl}/app/boards/board?board=${board}`);
      await page.getByRole("button", { name: "Visitors: more" }).click();
      assert.equal(await page.getByRole("menuitem", { name: /^Download/ }).count(), 0);
      await page.keyboard.press("Escape");
      answer();
      await panel(page, "Visitors").locator(".number-card strong").waitFor();
      const refusal = {
        status: 400,
        json: { error: { code: "BAD_REQUEST", message: "A board has at most 60 charts" } },
      };
      await page.route("**/duplicate", (route) => route.fulfill(refusal), { times: 1 });
      await choose(page, "Visitors", "Duplicate");
      await page.getByRole("alert").getByText("A board has at most 60 charts").waitFor();
      await choose(page, "Visitors", "Duplicate");
      await page.getByRole("status").getByText("Visitors was copied. The copy is the last chart.").waitFor();
      await page.locator(".board-item").nth(1).waitFor();
    });
  });

  test("a chart is made for days without any row, and its axes are those of the question that is saved", async () => {
    const board = await makeBoard(site, "Made");
    await site.withPage(LOCALE, async (page) => {
      await openBoard(site, page, board, "&edit=new&period=custom&from=2020-01-01&to=2020-01-02");
      await page.getByLabel("Title").fill("Of nothing");
      await page.getByRole("button", { name: "Add to the board" }).click();
      await panel(page, "Of nothing").waitFor();
      const [made] = await chartsOf(site, board);
      assert.ok(made?.x_axis && made.y_axis?.length === 1);
      await openBoard(site, page, board, "&edit=new");
      await page.locator(".editor-preview .ranked-row").first().waitFor();
      await page.getByLabel("Title").fill("At once");
      await page.getByLabel("Rows by").selectOption("referrer");
      await page.getByRole("button", { name: "Add to the board" }).click();
      await panel(page, "At once").waitFor();
      assert.equal((await chartsOf(site, board))[1]?.x_axis, "referrer");
    });
  });

  test("a slow preview is cancelled by its button", async () => {
    const board = await makeBoard(site, "Slow");
    await site.withPage(LOCALE, async (page) => {
      await page.route("**/charts/preview?**", () => undefined);
      await page.goto(`${site.service.apiUrl}/app/boards/board?board=${board}&edit=new`);
      const preview = page.locator(".editor-preview");
      await preview.getByRole("button", { name: "Cancel" }).click();
      await preview.getByText("Cancelled.").waitFor();
      await page.unroute("**/charts/preview?**");
      await preview.getByRole("button", { name: "Ask again" }).click();
      await preview.locator(".ranked-row").first().waitFor();
    });
  });

  test("the dialog of links keeps the focus on what is used next", async () => {
    const board = await makeBoard(site, "Shared");
    await site.withPage(LOCALE, async (page) => {
      await openBoard(site, page, board);
      await page.getByRole("button", { name: "Share", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Share Shared" });
      const open = () => dialog.getByRole("button", { name: "New link" }).click();
      await open();
      await dialog.getByLabel("For whom").waitFor();
      assert.equal(await focused(page), "title");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.getByText("Nobody outside sees this board").waitFor();
      assert.equal(await focused(page), "New link");
      await open();
      // The list that is read again is late: the new link is there all the same.
      await page.route("**/links", (route) => (route.request().method() === "GET" ? undefined : route.continue()));
      await dialog.getByRole("button", { name: "Make the link" }).click();
      await dialog.locator(".share-link").waitFor();
      assert.equal(await dialog.getByText("Nobody outside sees this board").count(), 0);
      assert.equal(await focused(page), "Copy the link");
      await page.unroute("**/links");
      for (let made = 1; made < 20; made += 1) await callApi(site, "POST", `/v0/boards/${board}/links`, {});
      await page.reload();
      await settle(page);
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await dialog.getByText("A board has at most 20 links").waitFor();
    });
  });

  test("a comparison of segments says that the page's own segment is not known", async () => {
    const make = async (title: string, value: string) => {
      const filters = [{ field: "device", op: "eq", value }];
      const body = { title, filters, project_id: site.credentials.projectId };
      return (await callApi<{ id: string }>(site, "POST", "/v0/segments", body)).id;
    };
    const [phones, desks] = [await make("Phones", "mobile"), await make("Desks", "desktop")];
    await site.withPage(LOCALE, async (page) => {
      const compared = `segments=${phones}&segments=${desks}`;
      await page.goto(`${site.service.apiUrl}/app?segment=seg_gone&f=device.eq.mobile&${compared}`);
      const trend = page.locator('section[aria-label="Visitors by segment"]');
      await trend.getByText("There is no such segment").waitFor();
      await page.getByRole("button", { name: "Segments", exact: true }).click();
      const save = page.getByRole("menuitem", { name: "Save filters as a segment" });
      assert.equal(await save.getAttribute("aria-disabled"), "true");
      await page.keyboard.press("Escape");
      await trend.getByRole("button", { name: "Remove the segment" }).click();
      await trend.locator(".series-legend").getByText("Phones").waitFor();
    });
  });
});
