/** Segments in a real Chromium: saved, chosen, compared and deleted, and what the screen shows is the API's. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { full } from "../../dashboard/src/format/numbers.ts";
import { waitFor } from "../support/wait.ts";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import { addCharts, type BoardSite, callApi, chartsOf, makeBoard, openBoard } from "./board-site.ts";
import { LOCALE, lastDays, startDemoSite } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, type Query, type Row, readTable, readTexts } from "./shown-rows.ts";

const days = () => lastDays(28);

const byText = (one: readonly string[], other: readonly string[]) => String(one).localeCompare(String(other));

describe("segments, in a real Chromium", () => {
  let site: BoardSite;
  /** The countries with the most visitors. */
  let [first, second] = ["", ""];
  before(async () => {
    site = await startDemoSite();
    const { data } = await ask(site, "/v0/top_locations", { ...days(), limit: "2" });
    [first, second] = data.map(({ location }) => String(location)) as [string, string];
  });
  after(() => site.stop());

  const makeSegment = async (title: string, filters: readonly object[]) => {
    const body = { title, filters, project_id: site.credentials.projectId };
    return (await callApi<{ id: string }>(site, "POST", "/v0/segments", body)).id;
  };
  const ofCountry = (title: string, value: string) => makeSegment(title, [{ field: "location", op: "eq", value }]);
  const open = async (page: Page, path: string) => {
    await page.goto(`${site.service.apiUrl}${path}`);
    await settle(page);
  };
  const command = async (page: Page, menu: string, name: string | RegExp) => {
    await page.getByRole("button", { name: menu, exact: true }).click();
    await page.getByRole("menuitem", { name }).or(page.getByRole("menuitemradio", { name })).click();
  };
  const chip = (page: Page) => page.getByRole("list", { name: "Filters" });
  const segmentOf = (page: Page) => new URL(page.url()).searchParams.get("segment");
  const expectHeadline = (page: Page, query: Query) =>
    expectShown(
      "the headline",
      async () => (await readTexts(page.locator(".headline-card"), [".headline-value"])).slice(0, 2),
      async () => {
        const [row] = (await ask(site, "/v0/kpis", { ...days(), ...query, interval: "all" })).data;
        assert.ok(Number(row?.visitors) > 0);
        return [[full(Number(row?.visitors), "count")], [full(Number(row?.sessions), "count")]];
      },
    );
  const requestsOf = (page: Page) => {
    const asked: URL[] = [];
    page.on("request", (request) => void asked.push(new URL(request.url())));
    return asked;
  };
  /** Reports that answer about visits; those about the project itself have no segment. */
  const ABOUT_ALL = [
    "/v0/annotations",
    "/v0/event_properties",
    "/v0/segments",
    "/v0/first_days",
    "/v0/live",
    "/v0/ingest",
  ];

  test("filters are saved as one, which every request of the page then has, and removed again", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, `/app?f=location.eq.${first}&f=browser.notEmpty`);
      await command(page, "Segments", "Save filters as a segment");
      const dialog = page.getByRole("dialog", { name: "Save filters as a segment" });
      await dialog.getByRole("list", { name: "Conditions" }).waitFor();
      assert.equal(await dialog.locator(".segment-conditions li").count(), 2);
      await dialog.getByLabel("Title").fill("From there");
      const asked = requestsOf(page);
      await dialog.getByRole("button", { name: "Save the segment" }).click();
      await chip(page).getByText("Segment: From there").waitFor();
      await settle(page);
      const id = segmentOf(page) ?? "";
      assert.equal(new URL(page.url()).searchParams.get("f"), null);
      const [saved] = (await callApi<{ data: { id: string; filters: object[] }[] }>(site, "GET", "/v0/segments")).data;
      assert.deepEqual(
        [saved?.id, saved?.filters],
        [
          id,
          [
            { field: "location", op: "eq", value: first },
            { field: "browser", op: "notEmpty" },
          ],
        ],
      );
      await expectHeadline(page, { segment: id });
      const reports = asked.filter(
        ({ pathname }) => pathname.startsWith("/v0/") && !ABOUT_ALL.some((path) => pathname.startsWith(path)),
      );
      assert.ok(reports.length > 10);
      const without = reports.filter(({ searchParams }) => searchParams.get("segment") !== id);
      assert.deepEqual(without.map(String), []);
      // The number of visitors online in the bar is that of everybody.
      for (const [path, report] of [
        ["activity", "/v0/activity"],
        ["live", "/v0/activity"],
        ["funnels", "/v0/funnel"],
        ["retention", "/v0/retention"],
        ["flows", "/v0/flow"],
      ] as const) {
        asked.length = 0;
        await open(page, `/app/${path}?segment=${id}`);
        await chip(page).getByText("Segment: From there").waitFor();
        const asks = asked.find(({ pathname }) => pathname === report);
        assert.equal(asks?.searchParams.get("segment"), id, path);
      }
      await open(page, `/app?segment=${id}`);
      await page.getByRole("button", { name: "Remove: Segment: From there" }).click();
      await settle(page);
      assert.equal(segmentOf(page), null);
      await expectHeadline(page, {});
    });
  });

  test("people by what they did are made in a form, renamed, and deleted after a question", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/app");
      await command(page, "Segments", "New segment by what people did");
      const form = page.getByRole("dialog", { name: "New segment" });
      await form.getByLabel("Title").fill("Looked around");
      await form.getByLabel("Event 1", { exact: true }).fill("page");
      await form.getByLabel("How often, event 1").selectOption("gte");
      await form.getByLabel("Times, event 1").fill("3");
      await form.getByLabel("Period, event 1").selectOption("all_time");
      await form.getByRole("button", { name: "Save the segment" }).click();
      await chip(page).getByText("Segment: Looked around").waitFor();
      await settle(page);
      const behaviours = [{ event: "page", operator: "gte", times: 3, preset: "all_time" }];
      const value = Buffer.from(JSON.stringify(behaviours)).toString("base64");
      await expectHeadline(page, { filters: JSON.stringify([{ field: "events", op: "eq", value }]) });
      await page.getByRole("button", { name: "Segment: Looked around", exact: true }).click();
      await page.getByText("did Page view at least 3 times ever").waitFor();
      await page.keyboard.press("Escape");
      await command(page, "Segments", /^Rename/);
      const rename = page.getByRole("dialog", { name: "Rename the segment" });
      await rename.getByLabel("Title").fill("Curious");
      await rename.getByRole("button", { name: "Save" }).click();
      await chip(page).getByText("Segment: Curious").waitFor();
      const id = segmentOf(page) ?? "";
      const board = await makeBoard(site, "Uses it");
      await addCharts(site, board, [
        { chart_type: "bar", title: "Of the curious", report: "top_sources", params: { segment: id } },
      ]);
      await command(page, "Segments", /^Delete/);
      const dialog = page.getByRole("dialog", { name: "Delete “Curious”?" });
      await dialog.getByRole("button", { name: "Delete the segment" }).click();
      await dialog.getByText(/"Of the curious"/).waitFor();
      await dialog.getByRole("button", { name: "Delete it all the same" }).click();
      await page.waitForURL((url) => !url.searchParams.has("segment"));
      // A link that somebody has kept.
      await open(page, `/app?segment=${id}`);
      await page.getByText("There is no such segment").first().waitFor();
      await page.getByRole("button", { name: "Remove the segment" }).first().click();
      await settle(page);
      assert.equal(segmentOf(page), null);
      await expectHeadline(page, {});
    });
  });

  /** Visitors by day of each, as the table of the chart has them. */
  const expectedLines = async (segments: readonly string[], within: Query = {}) => {
    const answers = await Promise.all(
      segments.map(async (segment) => (await ask(site, "/v0/kpis", { ...days(), ...within, segment })).data),
    );
    const start = Date.parse(String(days().date_from));
    return Array.from({ length: 28 }, (_, at) => {
      const day = new Date(start + at * 86_400_000).toISOString().slice(0, 10);
      const of = (rows: readonly Row[]) => rows.find(({ date }) => String(date).startsWith(day))?.visitors ?? 0;
      return answers.map((rows) => full(Number(of(rows)), "count"));
    });
  };
  const shownLines = async (page: Page, panel: string) =>
    (await readTable(page.locator(`section.panel[aria-label="${panel}"] table`).first())).map((cells) =>
      cells.slice(1),
    );
  const legend = (page: Page, panel: string) =>
    page.locator(`section.panel[aria-label="${panel}"] .series-legend li`).allInnerTexts();

  test("the trend compares two with a line each, and goes to a board as it is", async () => {
    const ids = [await ofCountry("Desks", first), await ofCountry("Phones", second)];
    const board = await makeBoard(site, "Compared");
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/app?f=browser.notEmpty");
      await command(page, "Visitors over time: more", "Compare segments");
      const dialog = page.getByRole("dialog", { name: "Compare segments" });
      await dialog.getByLabel("Desks").check();
      await dialog.getByLabel("Phones").check();
      await dialog.getByRole("button", { name: "Compare", exact: true }).click();
      await page.locator('section.panel[aria-label="Visitors by segment"] .series-legend').waitFor();
      await settle(page);
      assert.deepEqual(new URL(page.url()).searchParams.getAll("segments"), ids);
      assert.deepEqual(await legend(page, "Visitors by segment"), ["Desks", "Phones"]);
      await command(page, "Visitors by segment: more", "Show as table");
      const filters = JSON.stringify([{ field: "browser", op: "notEmpty" }]);
      await expectShown(
        "the lines",
        () => shownLines(page, "Visitors by segment"),
        () => expectedLines(ids, { filters }),
      );
      const waiting = page.waitForEvent("download");
      await command(page, "Visitors by segment: more", "Download CSV");
      const csv = readFileSync(await (await waiting).path(), "utf8")
        .trimEnd()
        .split("\r\n");
      assert.match(csv[0] ?? "", /Desks,Phones$/);
      assert.equal(csv.length, 29);
      await command(page, "Visitors by segment: more", "Add to board");
      const add = page.getByRole("dialog", { name: "Add to board" });
      await add.getByRole("combobox").selectOption(board);
      await add.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("dialog", { name: "Added" }).waitFor();
      const [chart] = await chartsOf(site, board);
      assert.deepEqual([chart?.group_by, chart?.settings?.segments], ["segment", ids]);
      await openBoard(site, page, board);
      assert.deepEqual(await legend(page, "Visitors by segment"), ["Desks", "Phones"]);
      await command(page, "Visitors by segment: more", "Show as table");
      await expectShown(
        "the lines on the board",
        () => shownLines(page, "Visitors by segment"),
        () => expectedLines(ids, { filters }),
      );
    });
  });

  test("the editor compares segments, and every type is drawn; axe, 1440 and 390 px, light and dark", async () => {
    const ids = [await ofCountry("Large", first), await ofCountry("Small", second)];
    const board = await makeBoard(site, "All types");
    const settings = { segments: ids };
    const steps = [
      { type: "event", event: "page" },
      { type: "event", event: "connect" },
    ];
    await addCharts(site, board, [
      {
        chart_type: "number",
        title: "Number",
        report: "kpis",
        params: { interval: "all" },
        y_axis: ["visitors"],
        settings,
      },
      { chart_type: "pie", title: "Pie", report: "kpis", params: { interval: "all" }, y_axis: ["visitors"], settings },
      { chart_type: "bar", title: "Bars", report: "top_sources", params: { metric_column: "channel" }, settings },
      { chart_type: "stacked", title: "Stacked", report: "kpis", settings },
      { chart_type: "table", title: "Table", report: "top_chains", settings },
      { chart_type: "funnel", title: "Funnel", steps, settings },
    ]);
    await site.withPage({ ...LOCALE, viewport: { width: 1440, height: 900 } }, async (page) => {
      await openBoard(site, page, board);
      await expectShown(
        "a number for each",
        async () =>
          (await readTexts(page.locator('section[aria-label="Number"] .ranked > li'), [".ranked-value"])).sort(byText),
        async () => {
          const all = ids.map((segment) => ask(site, "/v0/kpis", { ...days(), segment, interval: "all" }));
          return (await Promise.all(all)).map(({ data }) => [full(Number(data[0]?.visitors), "count")]).sort(byText);
        },
      );
      for (const title of ["Number", "Pie", "Bars", "Stacked", "Table", "Funnel"]) {
        const panel = page.locator(`.board-item section.panel[aria-label="${title}"]`);
        await panel.scrollIntoViewIfNeeded();
        const shows = async (text: string) => (await panel.textContent())?.includes(text) === true;
        await waitFor(`both in ${title}`, async () => (await shows("Large")) && (await shows("Small")));
      }
      await openBoard(site, page, board, "&edit=new");
      await page.getByLabel("Title").fill("Made here");
      await page.getByRole("radio", { name: "Lines", exact: true }).check();
      await page.getByRole("combobox", { name: /^Report/ }).selectOption("kpis");
      await page.getByText("Compare segments").click();
      await page.getByRole("checkbox", { name: "Large" }).check();
      await page.getByRole("checkbox", { name: "Small" }).check();
      const legend = page.locator(".editor-preview .series-legend");
      await waitFor("both lines in the preview", async () =>
        ((await legend.textContent({ timeout: 60_000 })) ?? "").includes("Small"),
      );
      // An old preview is drawn pale.
      await settle(page);
      await expectAccessible(page, "the editor");
      await page.getByRole("button", { name: "Add to the board" }).click();
      await page.locator('.board-item section.panel[aria-label="Made here"]').waitFor();
      const made = (await chartsOf(site, board)).find(({ title }) => title === "Made here");
      assert.deepEqual([made?.x_axis, made?.group_by, made?.settings?.segments], ["date", "segment", ids]);
      for (const width of [1440, 390])
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          const where = `${width} px, ${colorScheme}`;
          await openBoard(site, page, board, `&segment=${ids[0]}`);
          await expectAccessible(page, `${where}, board`);
          await expectNoOverflow(page, `${where}, board`);
          await open(page, `/app?f=browser.notEmpty&segments=${ids.join("&segments=")}`);
          await expectAccessible(page, `${where}, overview`);
          await expectNoOverflow(page, `${where}, overview`);
          await page.getByRole("button", { name: "Segments", exact: true }).click();
          await expectAccessible(page, `${where}, menu`);
          await page.getByRole("menuitem", { name: "New segment by what people did" }).click();
          await page.getByRole("dialog", { name: "New segment" }).getByLabel("Title").waitFor();
          await expectAccessible(page, `${where}, form`);
          await expectNoOverflow(page, `${where}, form`);
        }
    });
  });
});
