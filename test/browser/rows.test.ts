/** Reads the screen and compares it with the API: no page shows rows of another question. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Locator, Page, Route } from "playwright-core";
import { full } from "../../dashboard/src/format/numbers.ts";
import { IS_LONG, SEED, sampled } from "../../src/lib/testing.ts";
import { awayFromEnd } from "../support/wait.ts";
import { CARD_TABS } from "./card-tabs.ts";
import type { DashboardService } from "./dashboard-service.ts";
import { dayOf, LOCALE, lastDays, startDemoSite } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectedRows, expectShown, type Query, readRanked, readTable, readTexts } from "./shown-rows.ts";

/**
 * All measures of all tabs take a quarter of an hour: a long run takes all of a card's first tab and two of each other
 * one, other ones of each; a short run one more of the first of its tabs.
 */
function drawn(others: readonly string[], nthTab: number): readonly string[] {
  if (nthTab === 0) return sampled(others, 1);
  return IS_LONG ? [0, 1].map((n) => others[(SEED + nthTab * 2 + n) % others.length] ?? "") : [];
}

describe("every row on the screen is the API's, in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDemoSite();
  });
  after(() => site.stop());

  const open = async (page: Page, path: string) => {
    await page.goto(`${site.service.apiUrl}/app${path}`);
    await settle(page);
  };
  const panel = (page: Page, title: string) => page.locator(`section.panel[aria-label^="${title}"]`);
  const answered = async (path: string, query: Query) => (await ask(site, path, query)).data;

  async function expectCard(page: Page, card: string, tab: string, measure: string, view: Query): Promise<void> {
    const answer = CARD_TABS[card]?.[tab];
    assert.ok(answer);
    const shown = panel(page, `${card}: ${tab}`);
    await expectShown(
      `${card}, ${tab} by ${measure} of ${JSON.stringify(view)}`,
      () => readRanked(shown),
      () => expectedRows(site, answer, measure, view),
    );
  }

  /** The card's tab and measure, as the card itself names them. */
  async function expectCards(page: Page, view: Query): Promise<void> {
    for (const [card, tabs] of Object.entries(CARD_TABS)) {
      const label = (await panel(page, `${card}: `).getAttribute("aria-label")) ?? "";
      const tab = label.slice(`${card}: `.length);
      if (tabs[tab] === undefined) continue;
      await expectCard(page, card, tab, (await measureButton(page, card).textContent()) ?? "", view);
    }
  }

  async function expectHeadline(page: Page, view: Query): Promise<void> {
    const measures = [
      ["visitors", "count"],
      ["sessions", "count"],
      ["pageviews", "count"],
      ["wallets", "count"],
      ["transactions", "count"],
      ["volume", "amount"],
      ["revenue", "amount"],
      ["bounce_rate", "percent"],
      ["avg_session_sec", "duration"],
    ] as const;
    await expectShown(
      `the headline of ${JSON.stringify(view)}`,
      () => readTexts(page.locator(".headline-card"), [".headline-value"]),
      async () => {
        const [row] = await answered("/v0/kpis", { ...view, interval: "all" });
        return measures.map(([name, format]) => [full(Number(row?.[name] ?? 0), format)]);
      },
    );
  }

  // A card and a page each: what has been asked before is not asked again.
  for (const [card, tabs] of sampled(Object.entries(CARD_TABS), 1))
    test(`each tab of ${card} has the rows of its own report, by its measures, at the first click`, async () => {
      await site.withPage(LOCALE, async (page) => {
        await open(page, "");
        for (const [nth, [tab, { measures }]] of sampled(Object.entries(tabs), 2).entries()) {
          await chooseTab(page, card, tab);
          const [first = "", ...others] = measures.map(([label]) => label);
          for (const measure of [first, ...drawn(others, nth)]) {
            await chooseMeasure(page, card, measure);
            await expectCard(page, card, tab, measure, lastDays(28));
          }
          await chooseMeasure(page, card, first);
        }
      });
    });

  test("the map has the countries of its list, by every measure", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "");
      for (const measure of sampled(["Visitors", "Page views", "Transacting wallets", "Revenue"], 1)) {
        await chooseMeasure(page, "Places", measure);
        const { Places: { Countries } = {} } = CARD_TABS;
        assert.ok(Countries);
        const expected = (await expectedRows(site, Countries, measure, lastDays(28)))
          .filter(([name]) => name !== "Unknown")
          .slice(0, 5);
        const map = page.getByRole("img", { name: /^World map/ });
        await map.focus();
        const shown: string[][] = [];
        for (const _ of expected) {
          await page.keyboard.press("ArrowRight");
          const tip = page.locator(".world .chart-tip > *");
          shown.push(await tip.allTextContents());
        }
        assert.deepEqual(shown, expected, measure);
        await map.blur();
      }
    });
  });

  test("periods, moved periods and filters change headline and all cards, and going back does too", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "?devices=browser&chains=rdns&sources=utm_source");
      const expectAll = async (view: Query) => {
        await settle(page);
        await expectHeadline(page, view);
        await expectCards(page, view);
      };
      await expectAll(lastDays(28));
      await page.keyboard.press("w");
      await page.waitForURL(/period=7d/);
      await expectAll(lastDays(7));
      await page.keyboard.press("ArrowLeft");
      await page.waitForURL(/from=/);
      await expectAll({ date_from: dayOf(13), date_to: dayOf(7) });
      await page.keyboard.press("f");
      await page.waitForURL(/period=28d/);
      await panel(page, "Pages: ").getByRole("button", { name: "/swap", exact: false }).first().click();
      await page.waitForURL(/f=page\.eq/);
      await settle(page);
      const filters = JSON.stringify([{ field: "page", op: "eq", value: "/swap" }]);
      await expectHeadline(page, { ...lastDays(28), filters });
      // The card that was clicked keeps its other rows; all others are filtered.
      for (const [card, tab] of [
        ["Sources", "UTM sources"],
        ["Chains and wallets", "Wallets"],
        ["Devices", "Browsers"],
        ["Events", "Events"],
      ] as const) {
        const measure = (await measureButton(page, card).textContent()) ?? "";
        await expectCard(page, card, tab, measure, { ...lastDays(28), filters });
      }
      await page.goBack();
      await page.waitForURL((url) => !url.search.includes("f="));
      await expectAll(lastDays(28));
    });
  });

  test("chart, hours, weeks and funnel of the overview are the API's", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "");
      for (const [key, days, interval] of [
        ["f", 28, "day"],
        ["d", 1, "hour"],
        ["w", 7, "day"],
      ] as const) {
        // Hours that have not come are blank, by the clock of whoever looks.
        await awayFromEnd(3_600_000, 60_000);
        await page.keyboard.press(key);
        await settle(page);
        await expectSeries(page, "Visitors", "visitors", { ...lastDays(days), interval });
      }
      await page.keyboard.press("f");
      await settle(page);
      await page.locator(".headline-card", { hasText: "Transactions" }).click();
      await expectSeries(page, "Transactions", "transactions", { ...lastDays(28), interval: "day" });
      await expectShown(
        "hours of the week",
        () => readTexts(panel(page, "Hours of the week").locator(".heat tbody tr td"), [".heat-cell > span"]),
        async () => {
          const rows = await answered("/v0/heatmap", lastDays(28));
          const found = new Map(rows.map((row) => [`${row.weekday} ${row.hour}`, Number(row.sessions)]));
          return cells(7, 24, (day, hour) => full(found.get(`${day + 1} ${hour}`) ?? 0, "count"));
        },
      );
      const steps = ["page", "connect"].map((event, index) => ({ type: "event", event, name: `${event}::${index}` }));
      const onchain = ["signature", "transaction"].map((type, index) => ({ type, name: `${type}::${index + 2}` }));
      await expectShown(
        "the funnel",
        () => readTexts(page.locator(".onchain .funnel > li"), [".funnel-count"]),
        async () => {
          const rows = await answered("/v0/funnel", {
            ...lastDays(28),
            steps: JSON.stringify([...steps, ...onchain]),
            window_seconds: String(14 * 86_400),
          });
          return rows.map(({ users }) => [full(Number(users), "count")]);
        },
      );
    });
  });

  /** The table view of the chart, which has the values of its points. */
  async function expectSeries(page: Page, label: string, column: string, view: Query): Promise<void> {
    const chart = panel(page, `${label} over time`);
    if ((await chart.locator("table").count()) === 0) {
      await chart.getByRole("button", { name: `${label} over time: more` }).click();
      await page.getByRole("menuitem", { name: "Show as table" }).click();
    }
    await expectShown(
      `${label} by ${view.interval}`,
      async () => (await readTable(chart)).map(([, value = ""]) => [value]).filter(([value]) => value !== "–"),
      async () => {
        const rows = await answered("/v0/kpis", view);
        const past = rows.filter((row) => Date.parse(`${String(row.date).replace(" ", "T")}Z`) <= Date.now());
        return (view.interval === "hour" ? past : rows).map((row) => [full(Number(row[column]), "count")]);
      },
    );
  }

  test("label and change of a number fit in its card, however wide the page is", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "?period=7d");
      await page.locator(".change").first().waitFor();
      for (const width of sampled([1440, 1280, 1100, 768, 390], 2)) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page
          .locator(".headline-label")
          .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
        assert.deepEqual(wide, [], `${width} px`);
      }
    });
  });

  test("a card says when its shares add up to more than 100%, and only then", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "");
      for (const [measure, isShared] of [["Visitors", true] as const, ["Sessions", false] as const]) {
        await chooseMeasure(page, "Sources", measure);
        const [total] = await answered("/v0/kpis", { ...lastDays(28), interval: "all" });
        const rows = await answered("/v0/top_sources", { ...lastDays(28), metric_column: "channel" });
        const column = measure.toLowerCase();
        const sum = rows.reduce((all, row) => all + Number(row[column]), 0);
        assert.equal(sum > Number(total?.[column]), isShared, "a session has one channel");
        const notes = await panel(page, "Sources: Channels").locator(".note").allTextContents();
        const expected = `The same ${column} may be in several rows: shares add up to more than 100%.`;
        assert.deepEqual(notes, isShared ? [expected] : [], measure);
      }
    });
  });

  test("while the answer is on its way, a card shows no row of another tab, and old ones only greyed", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "");
      const cards = [
        ["Chains and wallets", "Wallets", /\/v0\/top_wallets/],
        ["Pages", "Exit", /\/v0\/top_pages/],
      ] as const;
      // The last part of this test looks at the first of them.
      for (const [card, tab, path] of [
        ["Devices", "Browsers", /\/v0\/top_sources/] as const,
        ...(IS_LONG ? cards : []),
      ]) {
        const release = await holdAnswers(page, path);
        await chooseTabNow(page, card, tab);
        await panel(page, `${card}: ${tab}`).locator(".skeleton").waitFor();
        assert.deepEqual(await readRanked(panel(page, `${card}: ${tab}`)), [], `${card}: ${tab}`);
        await release();
        await settle(page);
      }
      // Another period of the same question: the old rows, marked as old.
      await expectSeries(page, "Visitors", "visitors", { ...lastDays(28), interval: "day" });
      const chart = panel(page, "Visitors over time");
      const read = async () => [
        await readRanked(panel(page, "Devices: Browsers")),
        await readTable(chart),
        [[await chart.locator("h2").textContent()]],
      ];
      const before = await read();
      const release = await holdAnswers(page, /\/v0\/(top_sources|kpis)/);
      await awayFromEnd(3_600_000, 60_000);
      await page.keyboard.press("d");
      await page.waitForURL(/period=today/);
      for (const title of ["Devices: Browsers", "Visitors over time"]) {
        await panel(page, title).locator(".panel-body.stale").waitFor();
      }
      assert.deepEqual(await read(), before);
      await release();
      await settle(page);
      await expectSeries(page, "Visitors", "visitors", { ...lastDays(1), interval: "hour" });
    });
  });

  const measureButton = (page: Page, card: string): Locator => panel(page, `${card}: `).locator(".button.measure");

  async function chooseMeasure(page: Page, card: string, measure: string): Promise<void> {
    if ((await measureButton(page, card).textContent()) === measure) return;
    await measureButton(page, card).click();
    await page.getByRole("menuitemradio", { name: measure, exact: true }).click();
    await measureButton(page, card).filter({ hasText: measure }).waitFor();
    await settle(page);
  }

  async function chooseTabNow(page: Page, card: string, tab: string): Promise<void> {
    const tabs = panel(page, `${card}: `).locator(".card-tabs");
    const word = tabs.getByRole("button", { name: tab, exact: true });
    if ((await word.count()) > 0) await word.click();
    else {
      await tabs.locator("button[aria-haspopup=menu]").click();
      await page.getByRole("menuitemradio", { name: tab, exact: true }).click();
    }
    await panel(page, `${card}: ${tab}`).waitFor();
  }

  async function chooseTab(page: Page, card: string, tab: string): Promise<void> {
    await chooseTabNow(page, card, tab);
    await settle(page);
  }
});

/** Requests wait until they are released. */
async function holdAnswers(page: Page, path: RegExp): Promise<() => Promise<void>> {
  const held: Route[] = [];
  let isHolding = true;
  await page.route(path, (route) => (isHolding ? void held.push(route) : route.continue()));
  return async () => {
    isHolding = false;
    // One that the page has given up in the meantime may never be said to have gone on.
    await Promise.race([Promise.all(held.map((route) => route.continue())), delay(5_000, undefined, { ref: false })]);
  };
}

function cells(rows: number, columns: number, text: (row: number, column: number) => string): string[][] {
  return Array.from({ length: rows * columns }, (_, at) => [text(Math.floor(at / columns), at % columns)]);
}
