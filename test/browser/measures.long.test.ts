/** The table behind each card, its CSV, the changes of rows and steps, and what moved the headline, against the API. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { change, changeText, full, signed } from "../../dashboard/src/format/numbers.ts";
import { CARD_TABS } from "./card-tabs.ts";
import type { DashboardService } from "./dashboard-service.ts";
import { dayOf, LOCALE, lastDays, startDemoSite } from "./demo-site.ts";
import { settle } from "./settle.ts";
import {
  ask,
  askBreakdown,
  expectShown,
  nameOf,
  numberText,
  type Query,
  type Row,
  readTable,
  readTexts,
  type TabAnswer,
} from "./shown-rows.ts";

/** Changes are of whole days: today is not one. */
const whole = (): Query => ({
  date_from: dayOf(6),
  date_to: dayOf(1),
  compare_from: dayOf(13),
  compare_to: dayOf(8),
});

describe("the measures of a card, in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDemoSite();
  });
  after(() => site.stop());

  const panel = (page: Page, title: string) => page.locator(`section.panel[aria-label^="${title}"]`);
  const open = async (page: Page, path: string) => {
    await page.goto(`${site.service.apiUrl}/app${path}`);
    await settle(page);
  };
  const tabOf = (card: string, tab: string): TabAnswer => CARD_TABS[card]?.[tab] ?? assert.fail(`${card}, ${tab}`);

  async function openTable(page: Page, title: string): Promise<Locator> {
    await panel(page, title).locator(".card-all").click();
    const table = page.getByRole("dialog", { name: title }).locator("table");
    await table.waitFor();
    await table.getByRole("columnheader", { name: /^Change of/ }).waitFor();
    return table;
  }

  /** Name, all measures, and the change of one of them, sorted by it. */
  async function expectTable(table: Locator, tab: TabAnswer, sort: { by: string; order: "asc" | "desc" }) {
    const by = sort.by.replace(/_change$/, "");
    await expectShown(
      `${tab.breakdown} by ${sort.by}, ${sort.order}`,
      () => readTable(table),
      async () => {
        const { data: now } = await askBreakdown(site, tab, lastDays(7));
        const { data: compared } = await askBreakdown(site, tab, whole());
        const before = new Map(compared.map((row) => [nameOf(tab.column, row), row]));
        const sorted = now.map((row) => ({ row, other: before.get(nameOf(tab.column, row)) }));
        const value = ({ row, other }: (typeof sorted)[number]) =>
          by === sort.by ? (row[by] ?? null) : differenceOf(other, by);
        // Of rows with the same change, or with none, those with most of the measure come first.
        sorted.sort((one, other) => compareNumbers(one.row[by], other.row[by], "desc"));
        sorted.sort((one, other) => compareNumbers(value(one), value(other), sort.order));
        return sorted.map(({ row, other }) => [
          nameOf(tab.column, row),
          ...tab.measures.map(([, column]) => numberText(row[column], column)),
          changeOf(other, by),
        ]);
      },
    );
  }

  test("the table has all measures of all rows, sorted by each of them and by its change, as the API counts them", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "?period=7d&chains=rdns");
      for (const [card, name] of [
        ["Sources", "Channels"],
        ["Chains and wallets", "Wallets"],
        ["Pages", "Pages"],
      ] as const) {
        const tab = tabOf(card, name);
        const table = await openTable(page, `${card}: ${name}`);
        await expectTable(table, tab, { by: "visitors", order: "desc" });
        for (const [label, column] of tab.measures.slice(1)) {
          await table.getByRole("columnheader", { name: label, exact: true }).getByRole("button").click();
          await expectTable(table, tab, { by: column, order: "desc" });
        }
        const ofChange = table.getByRole("columnheader", { name: /^Change of/ });
        await ofChange.getByRole("button").click();
        await expectTable(table, tab, { by: "revenue_per_wallet_change", order: "desc" });
        await table.getByRole("columnheader", { name: "Visitors", exact: true }).getByRole("button").click();
        await table.getByRole("columnheader", { name: "Visitors", exact: true }).getByRole("button").click();
        await expectTable(table, tab, { by: "visitors", order: "asc" });
        await ofChange.getByRole("button").click();
        await expectTable(table, tab, { by: "visitors_change", order: "desc" });
        assert.equal(await ofChange.getAttribute("aria-sort"), "descending");
        await page.keyboard.press("Escape");
      }
    });
  });

  test("the CSV of a card has all rows and all measures, and is named after project, card and days", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "?period=7d&sources=utm_campaign");
      const tab = tabOf("Sources", "Campaigns");
      const downloading = page.waitForEvent("download");
      await panel(page, "Sources: Campaigns").getByRole("button", { name: "Sources: Campaigns: more" }).click();
      await page.getByRole("menuitem", { name: "Download CSV" }).click();
      const download = await downloading;
      const { date_from, date_to } = lastDays(7);
      assert.match(download.suggestedFilename(), new RegExp(`_sources-campaigns_${date_from}_${date_to}\\.csv$`));
      const [head, ...lines] = readFileSync(await download.path(), "utf8")
        .trim()
        .split("\r\n");
      const labels = tab.measures.map(([label]) => label);
      const unitOf = (column: string) => (/^(volume|revenue)/.test(column) ? " (USD)" : "");
      const own = tab.measures.map(([label, column]) => `${label}${unitOf(column)}`);
      const both = tab.measures.flatMap(([label, column]) =>
        ["whole days", "before"].map((days) => `"${label}, ${days}${unitOf(column)}"`),
      );
      assert.equal(head, ["Campaigns", ...own, ...both].join(","));
      const { data } = await askBreakdown(site, tab, lastDays(7));
      const cells = (row: Row) => tab.measures.map(([, column]) => row[column] ?? "").join(",");
      assert.deepEqual(
        lines.map((line) =>
          line
            .split(",")
            .slice(0, labels.length + 1)
            .join(","),
        ),
        data.map((row) => `${nameOf(tab.column, row)},${cells(row)}`),
      );
    });
  });

  test("rows of cards and steps of the strip have their change against the comparison", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "?period=7d&by=wallets");
      const tab = tabOf("Sources", "Channels");
      await panel(page, "Sources: Channels").locator(".ranked-change").first().waitFor();
      await expectShown(
        "changes of wallets by channel",
        () => readTexts(panel(page, "Sources: Channels").locator(".ranked > li"), [".ranked-name > span", ".change"]),
        async () => {
          const { data } = await askBreakdown(site, tab, { ...lastDays(7), order_by: "wallets", limit: "10" });
          const { data: compared } = await askBreakdown(site, tab, whole());
          return data.map((row) => {
            const other = compared.find(({ channel }) => channel === row.channel);
            return [nameOf("channel", row), other === undefined ? "" : titleOf(other, "wallets")];
          });
        },
      );
      const strip = page.locator(".onchain .funnel > li");
      await strip.locator(".change").first().waitFor();
      const steps = ["page", "connect"].map((event, index) => ({ type: "event", event, name: `${event}::${index}` }));
      const onchain = ["signature", "transaction"].map((type, index) => ({ type, name: `${type}::${index + 2}` }));
      const users = async (date_from = "", date_to = "") => {
        const query = {
          date_from,
          date_to,
          steps: JSON.stringify([...steps, ...onchain]),
          window_seconds: "1209600",
          within_dates: "true",
        };
        return (await ask(site, "/v0/funnel", query)).data.map((row) => Number(row.users));
      };
      await expectShown(
        "changes of the strip",
        () => readTexts(strip, [".change"]),
        async () => {
          const [now, before] = [
            await users(whole().date_from, whole().date_to),
            await users(whole().compare_from, whole().compare_to),
          ];
          return now.map((count, at) => [titleOf({ users: count, users_previous: before[at] ?? 0 }, "users")]);
        },
      );
    });
  });

  test("what moved the headline are the largest differences of the API, and the page says whether they add up", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "?period=7d");
      for (const [label, column, note] of [
        ["Visitors", "visitors", /need not add up/],
        ["Sessions", "sessions", /add up to the change/],
        ["Revenue", "revenue", /add up to the change/],
      ] as const) {
        await page.locator(".headline-card", { hasText: label }).click();
        await settle(page);
        const movers = panel(page, `What moved ${label.toLowerCase()}`);
        assert.match((await movers.locator(".panel-body > .note").textContent()) ?? "", note);
        await expectShown(
          `movers of ${label}`,
          () => readList(movers.locator(".mover-list li")),
          async () => {
            const largest = async (order: "asc" | "desc") => {
              const query = { ...whole(), order_by: `${column}_change`, order, limit: "5" };
              const { data } = await askBreakdown(site, tabOf("Sources", "Channels"), query);
              const sign = order === "asc" ? -1 : 1;
              return data
                .map((row) => [nameOf("channel", row), differenceOf(row, column) ?? 0] as const)
                .filter(([, difference]) => difference * sign > 0)
                .map(([name, difference]) => [name, signed(difference, column === "revenue" ? "amount" : "count")]);
            };
            return [...(await largest("desc")), ...(await largest("asc"))];
          },
        );
      }
      const additive = await askBreakdown(site, tabOf("Sources", "Channels"), whole());
      const sum = additive.data.reduce((all, row) => all + (differenceOf(row, "sessions") ?? 0), 0);
      const [total] = (await ask(site, "/v0/kpis", { ...whole(), interval: "all" })).data;
      assert.equal(sum, Number(total?.sessions) - Number(total?.sessions_previous), "sessions do add up");
    });
  });

  test("until another period is answered, what moved the headline names the days of its rows and has no shares", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "?period=7d&measure=sessions");
      const movers = panel(page, "What moved sessions");
      await movers.scrollIntoViewIfNeeded();
      await settle(page);
      const daysOf = async () => /sessions, .*/.exec((await movers.locator(".movers-total").textContent()) ?? "")?.[0];
      const shares = async () => (await movers.locator(".mover-share").allTextContents()).filter((text) => text !== "");
      const ofWeek = await daysOf();
      assert.ok(ofWeek !== undefined && (await shares()).length > 0);
      const held = Promise.withResolvers<void>();
      await page.route(/\/v0\/breakdown\?.*order_by=sessions_change/, async (route) => {
        await held.promise;
        await route.continue();
      });
      const headline = page.waitForResponse((answer) => {
        const { pathname, searchParams } = new URL(answer.url());
        return pathname === "/v0/kpis" && searchParams.get("date_to") === dayOf(1) && searchParams.has("compare_to");
      });
      await page.keyboard.press("t");
      await page.waitForURL(/period=30d/);
      await headline;
      await movers.locator(".panel-body.stale").waitFor();
      assert.deepEqual([await daysOf(), await shares()], [ofWeek, []]);
      held.resolve();
      await movers.locator(".panel-body:not(.stale)").waitFor();
      await settle(page);
      assert.notEqual(await daysOf(), ofWeek);
      assert.ok((await shares()).length > 0);
    });
  });
});

const readList = (items: Locator) => readTexts(items, [".mover-name", ".change"]);

function differenceOf(row: Row | undefined, column: string): number | null {
  const [now, before] = [row?.[column], row?.[`${column}_previous`]];
  return typeof now === "number" && typeof before === "number" ? now - before : null;
}

function compareNumbers(one: unknown, other: unknown, order: "asc" | "desc"): number {
  if (typeof one !== "number" || typeof other !== "number")
    return Number(typeof one !== "number") - Number(typeof other !== "number");
  return order === "asc" ? one - other : other - one;
}

const formatOf = (column: string) => {
  if (column === "conversion") return "percent";
  return ["volume", "revenue", "revenue_per_wallet"].includes(column) ? "amount" : "count";
};

/** "+12 +34%", as the column of the change says it. */
function changeOf(row: Row | undefined, column: string): string {
  const difference = differenceOf(row, column);
  if (row === undefined || difference === null) return "–";
  const share = change(Number(row[column]), Number(row[`${column}_previous`]));
  return `${signed(difference, formatOf(column))} ${share === undefined ? "new" : changeText(share)}`;
}

function titleOf(row: Row, column: string): string {
  const [now, before] = [row[column], row[`${column}_previous`]].map((one) => full(Number(one), formatOf(column)));
  return `${now} on the whole days of the period, ${before} before`;
}
