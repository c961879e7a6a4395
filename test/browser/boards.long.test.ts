/** Boards in a real Chromium: every type of chart saved, drawn, exported and arranged, and what it shows is the API's. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { nodeLabel } from "../../dashboard/src/charts/flow-data.ts";
import { valueName } from "../../dashboard/src/format/names.ts";
import { type Format, full } from "../../dashboard/src/format/numbers.ts";
import { CHART_TYPES } from "../../src/contract/chart-types.ts";
import { waitFor } from "../support/wait.ts";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import { addCharts, type BoardSite, callApi, chartsOf, makeBoard, openBoard, resultsOf } from "./board-site.ts";
import { LOCALE, startDemoSite } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { type Row, readRanked, readTable } from "./shown-rows.ts";

const PER_DAY =
  "SELECT toDate(timestamp) AS day, type, count() AS events FROM events WHERE type IN ('page', 'connect') AND " +
  "toDate(timestamp) >= {{date_from}} AND toDate(timestamp) <= {{date_to}} GROUP BY day, type ORDER BY day, type";
const PAGE = { type: "event", event: "page" };
const CONNECT = { type: "event", event: "connect" };

/** One of each type, and of both kinds of questions. */
const CHARTS = [
  { chart_type: "table", title: "Rows of SQL", query: PER_DAY },
  { chart_type: "number", title: "Visitors", report: "kpis", params: { interval: "all" }, y_axis: ["visitors"] },
  { chart_type: "number", title: "All events", query: "SELECT count() AS events FROM events" },
  {
    chart_type: "bar",
    title: "Countries",
    report: "top_locations",
    params: { limit: 10 },
    x_axis: "location",
    y_axis: ["visitors"],
  },
  { chart_type: "bar", title: "Bars by day", query: PER_DAY, x_axis: "day", y_axis: ["events"], group_by: "type" },
  { chart_type: "line", title: "Lines", report: "kpis", x_axis: "date", y_axis: ["visitors", "wallets"] },
  { chart_type: "area", title: "Areas", query: PER_DAY, x_axis: "day", y_axis: ["events"], group_by: "type" },
  {
    chart_type: "pie",
    title: "Chains",
    report: "top_chains",
    params: { limit: 5 },
    x_axis: "chain_id",
    y_axis: ["visitors"],
  },
  { chart_type: "stacked", title: "Stacked", query: PER_DAY, x_axis: "day", y_axis: ["events"], group_by: "type" },
  { chart_type: "funnel", title: "To a wallet", steps: [PAGE, CONNECT] },
  {
    chart_type: "funnel",
    title: "To a wallet by device",
    steps: [PAGE, CONNECT],
    settings: { breakdown: "device", layout: { width: 4, height: 2 } },
  },
  { chart_type: "user_paths", title: "After a page", settings: { anchors: [PAGE], maxSteps: 3 } },
  { chart_type: "retention", title: "Who comes back" },
].map((chart) => ({ ...chart, settings: { layout: { width: 2, height: 2 }, ...chart.settings } }));

describe("boards in a real Chromium", () => {
  let site: BoardSite;
  before(async () => {
    site = await startDemoSite();
  });
  after(() => site.stop());

  const panel = (page: Page, title: string) => page.locator(`.board-item section.panel[aria-label="${title}"]`);
  const choose = async (page: Page, title: string, command: string) => {
    await page.getByRole("button", { name: `${title}: more` }).click();
    await page.getByRole("menuitem", { name: command, exact: true }).click();
  };
  const orderOf = (page: Page) => page.locator(".board-item h2").allTextContents();
  const layoutOf = async (board: string, title: string) =>
    (await chartsOf(site, board)).find((chart) => chart.title === title)?.settings?.layout;

  test("each type has the rows of the API, as a drawing, a table, CSV and PNG", async () => {
    assert.deepEqual(new Set(CHARTS.map(({ chart_type }) => chart_type)), new Set(CHART_TYPES));
    const board = await makeBoard(site, "Every type");
    const ids = await addCharts(site, board, CHARTS);
    await site.withPage({ ...LOCALE, viewport: { width: 1440, height: 900 } }, async (page) => {
      await openBoard(site, page, board);
      for (const [at, { chart_type, title }] of CHARTS.entries()) {
        const shown = panel(page, title);
        await shown.scrollIntoViewIfNeeded();
        await shown
          .locator(DRAWINGS[chart_type] ?? "table")
          .first()
          .waitFor();
        const rows = await resultsOf(site, board, ids[at]);
        assert.ok(rows.length > 0, title);
        const expected = expectedTable(title, rows);
        if (title === "Countries") assert.deepEqual((await readRanked(shown)).sort(byText), expected.toSorted(byText));
        const picture = await download(page, () => choose(page, title, "Download PNG"));
        assert.equal(picture.subarray(1, 4).toString(), "PNG", title);
        assert.ok(picture.readUInt32BE(16) > 600 && picture.length > 4000, `${title}: ${picture.length} bytes`);
        await choose(page, title, "Show as table");
        const table = shown.locator("table").first();
        await table.waitFor();
        const seen = (await readTable(table)).map((cells) => cells.slice(0, expected[0]?.length));
        assert.deepEqual(sorted(title, seen), sorted(title, expected), title);
        const csv = (await download(page, () => choose(page, title, "Download CSV"))).toString();
        assert.equal(csv.trimEnd().split("\r\n").length, seen.length + 1, `${title}, CSV`);
      }
    });
  });

  test("axe accepts a board of every type at 1440 and 390 px, light and dark, and nothing is too wide", async () => {
    const board = await makeBoard(site, "Accessible");
    await addCharts(site, board, CHARTS);
    await site.withPage(LOCALE, async (page) => {
      for (const width of [1440, 390])
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          await openBoard(site, page, board);
          await expectAccessible(page, `${width} px, ${colorScheme}`);
          await expectNoOverflow(page, `${width} px, ${colorScheme}`);
        }
      for (const path of ["/app/boards", `/app/boards/board?board=${board}&edit=new`])
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(`${site.service.apiUrl}${path}`);
          await settle(page);
          await expectAccessible(page, `${path}, ${width} px`);
          await expectNoOverflow(page, `${path}, ${width} px`);
        }
    });
  });

  test("charts are arranged by the keyboard alone: order, width and height, said in a live region", async () => {
    const board = await makeBoard(site, "By keys");
    await addCharts(site, board, CHARTS.slice(1, 4));
    await site.withPage(LOCALE, async (page) => {
      await openBoard(site, page, board);
      const said = (words: string) => page.getByRole("status").getByText(words, { exact: true }).waitFor();
      const focused = () => page.evaluate("document.activeElement?.getAttribute('aria-label')");
      for (let at = 0; at < 60 && !String(await focused()).startsWith("Move Visitors"); at += 1)
        await page.keyboard.press("Tab");
      assert.match(String(await focused()), /^Move Visitors/, "reached by Tab");
      await page.keyboard.press("Alt+ArrowRight");
      await said("Visitors moved to place 2 of 3");
      await page.keyboard.press("Alt+ArrowDown");
      await said("Visitors moved to place 3 of 3");
      assert.match(String(await focused()), /^Move Visitors/, "the focus stays");
      assert.deepEqual(await orderOf(page), ["All events", "Countries", "Visitors"]);
      await page.keyboard.press("Alt+ArrowLeft");
      await said("Visitors moved to place 2 of 3");
      await page.keyboard.press("Alt+Shift+ArrowRight");
      await said("Visitors is 3 columns wide of 4");
      await page.keyboard.press("Alt+Shift+ArrowUp");
      await said("Visitors is low");
      await page.keyboard.press("Alt+Shift+ArrowUp");
      await said("Visitors is low already");
      const saved = async () => JSON.stringify(await layoutOf(board, "Visitors"));
      await waitFor("the changes to be saved", async () => (await saved()) === '{"width":3,"height":1}');
      // The menu does the same, and is opened by keys as well.
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.locator("[role=menuitem]:focus").waitFor();
      await page.keyboard.press("w");
      await page.keyboard.press("Enter");
      await said("Visitors is 4 columns wide of 4");
      await waitFor("the last change to be saved", async () => (await saved()) === '{"width":4,"height":1}');
      await page.reload();
      await settle(page);
      assert.deepEqual(await orderOf(page), ["All events", "Visitors", "Countries"]);
      await page.locator(".board-item.wide-4.high-1 h2").getByText("Visitors").waitFor();
    });
  });

  test("a chart is dragged by its grip, duplicated, moved to another board, shown alone and deleted", async () => {
    const board = await makeBoard(site, "By pointer");
    const other = await makeBoard(site, "The other board");
    await addCharts(site, board, CHARTS.slice(1, 4));
    await site.withPage(LOCALE, async (page) => {
      await openBoard(site, page, board);
      const [grip, target] = [page.getByRole("button", { name: /^Move Visitors/ }), panel(page, "Countries")];
      const [from, to] = [await grip.boundingBox(), await target.boundingBox()];
      assert.ok(from && to);
      await page.mouse.move(from.x + 8, from.y + 8);
      await page.mouse.down();
      await page.mouse.move(to.x + to.width - 20, to.y + 40, { steps: 8 });
      await page.locator(".drop-after").waitFor();
      await page.mouse.up();
      await page.getByText("Visitors moved to place 3 of 3").waitFor({ state: "attached" });
      assert.deepEqual(await orderOf(page), ["All events", "Countries", "Visitors"]);
      await choose(page, "Visitors", "Duplicate");
      await page.locator(".board-item").nth(3).waitFor();
      await choose(page, "Countries", "Move to another board");
      await page.getByLabel("To the end of").selectOption({ label: "The other board" });
      await page.getByRole("button", { name: "Move", exact: true }).click();
      await panel(page, "Countries").waitFor({ state: "detached" });
      assert.deepEqual(
        (await chartsOf(site, other)).map(({ title }) => title),
        ["Countries"],
      );
      await choose(page, "All events", "Full screen");
      const dialog = page.getByRole("dialog", { name: "All events" });
      await dialog.locator(".number-card").waitFor();
      assert.match(page.url(), /full=cht_/);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await choose(page, "All events", "Delete");
      await page.getByRole("button", { name: "Delete the chart" }).click();
      await panel(page, "All events").waitFor({ state: "detached" });
      assert.deepEqual(
        (await chartsOf(site, board)).map(({ title }) => title),
        ["Visitors", "Visitors"],
      );
    });
  });

  test("period, comparison and filters are in the URL, and every chart of a report follows them", async () => {
    const board = await makeBoard(site, "By days");
    const [visitors] = await addCharts(site, board, CHARTS.slice(1, 2));
    await site.withPage(LOCALE, async (page) => {
      const days = { date_from: dayBefore(9), date_to: dayBefore(3) };
      const filter = [{ field: "device", op: "eq", value: "desktop" }];
      const more = `&period=custom&from=${days.date_from}&to=${days.date_to}&f=device.eq.desktop`;
      const number = async (query: Record<string, string>) =>
        full(Number((await resultsOf(site, board, visitors, query))[0]?.visitors), "count");
      const shown = panel(page, "Visitors").locator(".number-card strong");
      await openBoard(site, page, board, more);
      const asked = { ...days, filters: JSON.stringify(filter) };
      assert.equal(await shown.textContent(), await number(asked));
      assert.notEqual(await number(asked), await number(days));
      await page.locator(".number-card .change").waitFor();
      await openBoard(site, page, board, `${more}&compare=off`);
      assert.equal(await page.locator(".number-card .change").count(), 0);
    });
  });

  test("one chart that fails says why, in its place, and the others are drawn", async () => {
    const board = await makeBoard(site, "With a fault");
    const [bad, odd] = await addCharts(site, board, [
      { ...CHARTS[0], title: "Refused" },
      { ...CHARTS[3], title: "Odd", settings: { drawn: { type: "funnel_groups", look: {} } } },
      CHARTS[1] ?? {},
    ]);
    assert.ok(bad && odd);
    await site.withPage(LOCALE, async (page) => {
      await page.route(`**/charts/${bad}?**`, (route) =>
        route.fulfill({ status: 400, json: { error: { code: "BAD_REQUEST", message: "There is no column gone" } } }),
      );
      // What cannot be drawn is noted by React.
      page.removeAllListeners("console");
      page.removeAllListeners("pageerror");
      await openBoard(site, page, board);
      await panel(page, "Refused").getByText("There is no column gone").waitFor();
      await panel(page, "Odd").getByText("This chart cannot be drawn as it was saved.").waitFor();
      await panel(page, "Visitors").locator(".number-card strong").waitFor();
    });
  });

  test("four templates sell themselves where there is no board, and draw the demo's data", async () => {
    const { data } = await callApi<{ data: { id: string }[] }>(site, "GET", boardsPath(site));
    for (const { id } of data) await callApi(site, "DELETE", `/v0/boards/${id}?with_charts=true`);
    await site.withPage(LOCALE, async (page) => {
      await page.goto(`${site.service.apiUrl}/app/boards`);
      await page.getByRole("button", { name: "Use Growth" }).click();
      await page.waitForURL(/board=brd_/);
      for (const title of ["Revenue", "DeFi", "Retention"]) {
        await page.goto(`${site.service.apiUrl}/app/boards`);
        await page.getByRole("button", { name: "New board" }).click();
        await page.getByRole("radio", { name: new RegExp(`^${title}`) }).check();
        await page.getByRole("button", { name: "Make the board" }).click();
        await page.waitForURL(/board=brd_/);
        await page.locator(".board-item").first().waitFor();
        await settle(page);
        assert.equal(await page.locator(".board-item .state").count(), 0, `${title} has charts without rows`);
        const board = new URL(page.url()).searchParams.get("board") ?? "";
        assert.equal(await page.locator(".board-item").count(), (await chartsOf(site, board)).length);
      }
      await page.goto(`${site.service.apiUrl}/app/boards`);
      await choose(page, "DeFi", "Rename");
      await page.getByRole("textbox", { name: "Name" }).fill("Onchain");
      await page.getByRole("button", { name: "Save" }).click();
      await choose(page, "Onchain", "Delete");
      await page.getByRole("button", { name: "Delete the board and 11 charts" }).click();
      await page.locator(".board-card-text strong").getByText("Onchain").waitFor({ state: "detached" });
    });
  });

  test("a chart of any page is added to a board, with its filters and its look", async () => {
    const board = await makeBoard(site, "Kept");
    await site.withPage(LOCALE, async (page) => {
      const add = async (title: string) => {
        await page.getByRole("combobox", { name: "Board", exact: true }).selectOption(board);
        await page.getByLabel("Title").fill(title);
        await page.getByRole("button", { name: "Add", exact: true }).click();
        await page.getByText(`“${title}” is on the board “Kept”`).waitFor();
      };
      const filter = "f=device.eq.desktop";
      await page.goto(`${site.service.apiUrl}/app?${filter}`);
      await settle(page);
      const cards = [
        ["Visitors over time", "Kept trend"],
        ["Sources: Channels", "Kept channels"],
        ["Places: Map", "Kept map"],
        ["Hours", "Kept hours"],
      ] as const;
      const channels = await readRanked(page.locator('section[aria-label="Sources: Channels"]'));
      for (const [panelTitle, title] of cards) {
        const more = page.getByRole("button", { name: new RegExp(`^${panelTitle}.*: more$`) }).first();
        await more.click();
        await page.getByRole("menuitem", { name: "Add to board" }).click();
        await add(title);
        await page.getByRole("button", { name: "Stay here" }).click();
      }
      for (const [path, name, title] of [
        ["/app/funnels", "Funnel", "Kept funnel"],
        ["/app/retention", "Cohorts", "Kept cohorts"],
        ["/app/flows", "After Page view", "Kept flow"],
      ] as const) {
        await page.goto(`${site.service.apiUrl}${path}?${filter}`);
        await settle(page);
        await page.getByRole("button", { name: `${name}: more` }).click();
        await page.getByRole("menuitem", { name: "Add to board" }).click();
        await add(title);
      }
      const statement = "SELECT type, count() AS events FROM events GROUP BY type ORDER BY events DESC";
      await page.goto(`${site.service.apiUrl}/app/sql?q=${encodeURIComponent(statement)}&show=pie`);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.locator(".pie-list li").first().waitFor();
      await page.getByRole("button", { name: "Add to board" }).click();
      await add("Kept SQL");
      await page.getByRole("link", { name: "Open the board" }).click();
      await page.locator(".board-item").nth(7).waitFor();
      await settle(page);
      assert.deepEqual(await page.locator(".board-item .state").allTextContents(), []);
      assert.deepEqual(await readRanked(panel(page, "Kept channels")), channels, "the same rows as the card");
      for (const [title, drawing] of [
        ["Kept trend", ".chart > svg"],
        ["Kept map", "svg"],
        ["Kept hours", "table.heat"],
        ["Kept funnel", ".funnel-step"],
        ["Kept cohorts", "table.retention"],
        ["Kept flow", ".flow-node"],
        ["Kept SQL", ".pie-list li"],
      ] as const)
        await panel(page, title).locator(drawing).first().waitFor();
    });
  });

  test("the editor shows what a chart answers while it is made, and what the service refuses at its field", async () => {
    const board = await makeBoard(site, "Edited");
    await site.withPage(LOCALE, async (page) => {
      await openBoard(site, page, board, "&edit=new");
      const preview = page.locator(".editor-preview");
      await preview.locator(".ranked-row").first().waitFor();
      await page.getByLabel("Title").fill("Devices");
      await page.getByLabel("Rows by").selectOption("device");
      await preview.getByText("Desktop").first().waitFor();
      await page.getByRole("radio", { name: "Pie" }).check();
      await preview.locator(".pie-list li").first().waitFor();
      await page.getByRole("combobox", { name: "Number", exact: true }).selectOption("sessions");
      await page.getByRole("button", { name: "Add to the board" }).click();
      await panel(page, "Devices").locator(".pie-list li").first().waitFor();
      const [made] = await chartsOf(site, board);
      assert.deepEqual([made?.chart_type, made?.x_axis, made?.y_axis], ["pie", "device", ["sessions"]]);
      const rows = await resultsOf(site, board, made?.id);
      const names = rows.map(({ device }) => valueName("device", String(device)));
      assert.deepEqual((await panel(page, "Devices").locator(".pie-name").allTextContents()).sort(), names.sort());
      // SQL that is refused says so at the editor of SQL; a number of several rows at its question.
      await choose(page, "Devices", "Edit");
      await page.getByRole("button", { name: "SQL", exact: true }).click();
      await preview.locator(".pie-list li").first().waitFor();
      await page.locator(".sql-editor").click();
      await page.keyboard.press("Control+A");
      await page.keyboard.type("SELECT nothing FROM events");
      await page.locator(".field-failure").getByText("There is no column nothing").waitFor();
      await page.getByRole("button", { name: "A report" }).click();
      await page.getByRole("radio", { name: "Number" }).check();
      await preview.getByText("A number needs one row").waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Number chart must have exactly 1 row").waitFor();
      await page.getByRole("radio", { name: "Funnel" }).check();
      await preview.locator(".funnel-step").first().waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await panel(page, "Devices").locator(".funnel-step").first().waitFor();
      assert.equal((await chartsOf(site, board))[0]?.chart_type, "funnel");
    });
  });
});

const DRAWINGS: Readonly<Record<string, string>> = {
  table: "table",
  number: ".number-card strong",
  bar: ".ranked-row, .chart > svg",
  line: ".chart > svg",
  area: ".chart > svg",
  pie: ".pie-slice",
  stacked: ".chart > svg",
  funnel: ".funnel-step, table",
  user_paths: ".flow-node",
  retention: "table.retention",
};

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

const boardsPath = ({ credentials }: BoardSite) => `/v0/boards?project_id=${credentials.projectId}`;

const text = (value: string | number | boolean | null | undefined, format?: Format) =>
  value === null || value === undefined ? "–" : format === undefined ? String(value) : full(Number(value), format);

/** The first columns of the table view, of the rows of the API. */
function expectedTable(title: string, rows: readonly Row[]): string[][] {
  const cells = (...columns: (readonly [string, Format?])[]) =>
    rows.map((row) => columns.map(([name, format]) => text(row[name], format)));
  switch (title) {
    case "Rows of SQL":
      return cells(["day"], ["type"], ["events"]);
    case "All events":
      return cells(["events"]);
    case "Visitors":
      return rows.map((row) => Object.values(row).map((value) => text(value)));
    case "Countries":
      return rows.map((row) => [valueName("location", String(row.location)), full(Number(row.visitors), "count")]);
    case "Chains":
      return rows.map((row) => [valueName("chain_id", String(row.chain_id)), full(Number(row.visitors), "count")]);
    case "Lines":
      return cells(["date"], ["visitors", "count"], ["wallets", "count"]);
    case "To a wallet":
      return rows.map(({ users }, at) => [at === 0 ? "Page view" : "Wallet connected", full(Number(users), "count")]);
    case "After a page":
      return rows.map(({ step, source, target, transitions }) => [
        text(step, "count"),
        nodeLabel(String(source)),
        nodeLabel(String(target)),
        full(Number(transitions), "count"),
      ]);
    case "Who comes back": {
      const [{ user } = { user: [] }] = rows as unknown as { user: (string | number)[][] }[];
      return user.map(([, start, users]) => [String(start), full(Number(users), "count")]);
    }
    case "To a wallet by device":
      return rows.map((row) => [valueName("device", String(row.breakdown ?? ""))]);
    default:
      return cells(["day"], ["type"], ["events", "number"]);
  }
}

function byText(one: readonly string[], other: readonly string[]): number {
  return String(one).localeCompare(String(other));
}

/** Lists are shown by size, equal ones in any order. */
function sorted(title: string, rows: string[][]): string[][] {
  return ["Countries", "Chains", "To a wallet by device"].includes(title) ? rows.toSorted(byText) : rows;
}

async function download(page: Page, start: () => Promise<void>): Promise<Buffer> {
  const downloading = page.waitForEvent("download");
  await start();
  return readFileSync(await (await downloading).path());
}
