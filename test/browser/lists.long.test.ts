/** Reads the lists of the pages beside the overview, and compares them with the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { valueName } from "../../dashboard/src/format/names.ts";
import { change, changeText, full, rate, share } from "../../dashboard/src/format/numbers.ts";
import { sampleEvent } from "../support/events.ts";
import type { DashboardService } from "./dashboard-service.ts";
import { dayOf, LOCALE, lastDays, startDemoSite } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, type PageElement, type Query, readRanked, readTable, readTexts } from "./shown-rows.ts";

describe("every row of the other pages is the API's, in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDemoSite();
    await site.send(recentVisits());
  });
  after(() => site.stop());

  const open = async (page: Page, path: string) => {
    await page.goto(`${site.service.apiUrl}/app${path}`);
    await settle(page);
  };
  const panel = (page: Page, title: string) => page.locator(`section.panel[aria-label^="${title}"]`);
  const answered = async (path: string, query: Query) => (await ask(site, path, query)).data;

  test("Activity has the events of its period and type", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/activity");
      await expectActivity(page, {});
      await page.getByLabel("Type of event").selectOption("transaction");
      await page.waitForURL(/type=transaction/);
      await settle(page);
      await expectActivity(page, { type: "transaction" });
    });
  });

  test("Live has the lists of the last half hour, also where two values have one name", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/live");
      for (const [title, list, column] of [
        ["Sources", "top_sources", "referrer"],
        ["Countries", "top_countries", "location"],
        ["Chains", "top_chains", "chain_id"],
      ] as const) {
        await expectShown(
          `live ${title}`,
          () => readRanked(page.locator(`.live-page section.panel[aria-label="${title}"]`)),
          async () => {
            const live = await ask<Record<string, Record<string, string | number>[]>>(site, "/v0/live", {});
            return (live[list] ?? []).map((row) => [
              valueName(column, String(row[column])),
              full(Number(row.visitors), "count"),
            ]);
          },
        );
      }
    });
  });

  test("a funnel has the groups of the chosen column, and a removed step takes its name with it", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/funnels?step=page&step=connect&group=device");
      for (const group of ["device", "channel", "browser"]) {
        await page.locator(".funnel-options label", { hasText: "By" }).locator("select").selectOption(group);
        await page.waitForURL(new RegExp(`group=${group}`));
        await settle(page);
        await expectGroups(page, group);
      }
      await open(page, "/funnels?step=track:First&step=track:Second&step=page");
      await page.getByRole("button", { name: "Remove step 1" }).click();
      await page.waitForURL(/\?step=track:Second&step=page$/);
      assert.equal(await page.getByLabel("Step 1: Name of the event").inputValue(), "Second");
    });
  });

  test("Retention has the weeks of visitors and of wallets", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/retention");
      await expectRetention(page, "anonymous_id");
      await page.getByRole("button", { name: "Wallets", exact: true }).click();
      await settle(page);
      await expectRetention(page, "address");
    });
  });

  test("All projects has the change of whole days against those before", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/projects?period=7d");
      const days = (from: number, to: number) => ({ date_from: dayOf(from), date_to: dayOf(to), interval: "all" });
      await expectShown(
        "the change of visitors",
        async () => [await page.locator(".project-card .change").allTextContents()],
        async () => {
          const [now, before] = await Promise.all(
            [days(6, 1), days(13, 8)].map(async (query) =>
              Number((await ask(site, "/v0/kpis", query)).data[0]?.visitors),
            ),
          );
          return [[changeText(change(now ?? 0, before ?? 0) ?? Number.NaN)]];
        },
      );
    });
  });

  test("Flows has the steps that were asked for", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/flows");
      await page.getByRole("button", { name: "After Page view: more" }).click();
      await page.getByRole("menuitem", { name: "Show as table" }).click();
      for (const depth of ["4", "2", "3"]) {
        await page.getByLabel("Steps").selectOption(depth);
        await settle(page);
        await expectFlow(page, depth);
      }
    });
  });

  test("System has the outcomes of the chosen span", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/system");
      const ledger = panel(page, "What happened to every event");
      for (const [label, hours] of [
        ["1 hour", "1"],
        ["7 days", "168"],
        ["24 hours", "24"],
      ] as const) {
        await ledger.getByRole("button", { name: label }).click();
        await settle(page);
        await expectShown(
          `the ledger of ${label}`,
          () => readTexts(ledger.locator(".system-numbers > div"), ["dd"]).then((rows) => rows.slice(0, 5)),
          async () => {
            const found = await ask<Record<string, number>>(site, "/v0/ingest", { hours });
            return ["received", "stored", "duplicate", "parked", "refused"].map((name) => [
              full(Number(found[name]), "count"),
            ]);
          },
        );
      }
    });
  });

  async function expectActivity(page: Page, query: Query): Promise<void> {
    await expectShown(
      `activity ${JSON.stringify(query)}`,
      () =>
        page
          .locator(".event-list > li")
          .evaluateAll((rows) =>
            (rows as unknown as PageElement[]).map((row) => [
              row.querySelector("time")?.getAttribute("datetime") ?? "",
              row.querySelector(".event-who")?.getAttribute("title") ?? "",
            ]),
          ),
      async () =>
        (await answered("/v0/activity", { ...lastDays(28), ...query, limit: "50" })).map((event) => [
          String(event.timestamp),
          String(event.address || event.user_id || event.anonymous_id),
        ]),
    );
  }

  async function expectGroups(page: Page, group: string): Promise<void> {
    const steps = ["page", "connect"].map((event, index) => ({ type: "event", event, name: `${event}::${index}` }));
    await expectShown(
      `the funnel by ${group}`,
      () => readTable(page.locator(".funnel-page section.panel[aria-label^='By '] .table-scroll")),
      async () => {
        const query = { ...lastDays(28), steps: JSON.stringify(steps), window_seconds: "86400", group_by: group };
        // A ninth group keeps its name; two more are folded.
        const nine = await answered("/v0/funnel", { ...query, limit: "9" });
        const isFolded = nine.some(({ breakdown }) => breakdown === "Others");
        const rows = isFolded ? await answered("/v0/funnel", { ...query, limit: "8" }) : nine;
        const values = [...new Set(rows.map(({ breakdown }) => String(breakdown)))];
        return values.map((value) => [
          valueName(group, value),
          ...rows
            .filter(({ breakdown }) => breakdown === value)
            .map(({ users, step, conversion_from_start: part }) =>
              `${full(Number(users), "count")} ${step !== 1 && part !== null ? rate(Number(part)) : ""}`.trim(),
            ),
        ]);
      },
    );
  }

  async function expectRetention(page: Page, idType: string): Promise<void> {
    await expectShown(
      `retention of ${idType}`,
      async () => {
        const rows = await readTable(page.getByRole("table", { name: "Retention by week" }));
        return rows.map(([, users = "", ...shares]) => [
          users,
          ...shares.filter((text) => text !== "").map((text) => text.replace(" so far", "")),
        ]);
      },
      async () => {
        const [row] = (
          await ask<{ data: { user: (string | number | null)[][] }[] }>(site, "/v0/retention", {
            ...lastDays(90),
            id_type: idType,
            min_users: "0",
            limit: "14",
          })
        ).data;
        return (row?.user ?? []).map(([, , users, ...shares]) => [
          full(Number(users), "count"),
          ...shares.filter((one) => one !== null).map((one) => share(Number(one) / 100, 1)),
        ]);
      },
    );
  }

  async function expectFlow(page: Page, depth: string): Promise<void> {
    const start = { type: "event", event: "page", resolved_event: "__ALL_PAGE_VIEWS__" };
    await expectShown(
      `the flow of ${depth} steps`,
      async () => (await readTable(panel(page, "After Page view"))).map(([step = "", , , count = ""]) => [step, count]),
      async () =>
        (
          await answered("/v0/flow", {
            ...lastDays(28),
            start_step: JSON.stringify(start),
            include_exits: "true",
            max_steps: depth,
            nodes_per_step: "7",
            window_seconds: "7200",
          })
        ).map(({ step, transitions }) => [full(Number(step), "count"), full(Number(transitions), "count")]),
    );
  }
});

/** Of the last minutes, for Live. A country that is empty and one that is unknown have the same name. */
function recentVisits(): object[] {
  return ["DE", "unknown", "", "US", "unknown"].map((location, index) =>
    sampleEvent(`recent-${index}`, {
      type: "page",
      anonymous_id: `recent-${index}`,
      original_timestamp: new Date(Date.now() - 60_000).toISOString(),
      sent_at: new Date(Date.now() - 60_000).toISOString(),
      channel: "server",
      context: JSON.stringify({ page_url: "https://app.example.com/live", location }),
    }),
  );
}
