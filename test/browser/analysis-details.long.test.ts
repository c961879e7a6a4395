/** What funnels, retention and flows say about their own numbers, beside the API's. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { full, rate, share } from "../../dashboard/src/format/numbers.ts";
import { sampleEvent } from "../support/events.ts";
import { type DashboardService, startDashboard } from "./dashboard-service.ts";
import { LOCALE, lastDays } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, type Row, readTable, readTexts } from "./shown-rows.ts";

const DAY_MS = 86_400_000;
let today: number;
let monday: number;

describe("what an analysis says about its numbers, in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    // It may wait for the next day.
    site = await startDashboard();
    today = Math.floor(Date.now() / DAY_MS);
    // 1970-01-01 was a Thursday.
    monday = today - ((today + 3) % 7);
    await site.send(cohorts());
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  const open = async (page: Page, path: string) => {
    const at = path.includes("?") ? "&" : "?";
    await page.goto(`${site.service.apiUrl}/app${path}${at}project=${site.credentials.projectId}`);
    await settle(page);
  };

  test("the curve of retention ends where one cohort is left, and says how many it is of", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/retention");
      const chart = page.getByRole("img", { name: /^Share of visitors that came back, by week\. 2 points/ });
      await chart.focus();
      await page.keyboard.press("End");
      await page.getByText("2 cohorts, 6 visitors").waitFor();
      const columns = await page.getByRole("table", { name: "Retention by week" }).locator("thead th").count();
      assert.equal(columns, 2 + 4, "no column for a week that nobody can have");
    });
  });

  test("retention shows shares that the period can have, and says why one is not known yet", async () => {
    await site.withPage(LOCALE, async (page) => {
      const read = () => page.locator(".figures > div").allInnerTexts();
      await open(page, "/retention");
      await page.getByRole("button", { name: "Last 90 days" }).waitFor();
      const [, day7 = "", day30 = "", ...others] = await read();
      assert.deepEqual(others, [], "nobody can be back after 90 days within 90");
      assert.match(day7, /^Back after 7 days\s+\d/);
      const days = monday - 21 + 30 - today;
      assert.match(day30, new RegExp(`^Back after 30 days\\s+not yet\\s+The first visit was on .+: in ${days} days?$`));
      await open(page, "/retention?period=28d");
      assert.equal((await read()).length, 2, "nor after 30 within 28");
    });
  });

  test("retention by day is the API's, and by month says when its curve comes", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/retention?period=28d");
      await page.getByRole("button", { name: "By day" }).click();
      await page.waitForURL(/by=day/);
      await settle(page);
      await expectShown(
        "retention by day",
        async () => {
          const rows = await readTable(page.getByRole("table", { name: "Retention by day" }));
          return rows.map(([, ...cells]) => cells.filter((text) => text !== "").map((t) => t.replace(" so far", "")));
        },
        async () => {
          const query = { ...lastDays(28), id_type: "anonymous_id", min_users: "0", limit: "28", interval: "day" };
          const { data } = await ask<{ data: { user: (string | number | null)[][] }[] }>(site, "/v0/retention", query);
          return (data[0]?.user ?? []).map(([, , users, ...shares]) => [
            full(Number(users), "count"),
            ...shares.filter((one) => one !== null).map((one) => share(Number(one) / 100, 1)),
          ]);
        },
      );
      await page.getByRole("button", { name: "By month" }).click();
      await page.waitForURL(/by=month/);
      await settle(page);
      const first = new Date((monday - 21) * DAY_MS);
      const comes = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 2, 1) / DAY_MS;
      const days = comes - today;
      await page.getByText(`The curve comes in ${days} ${days === 1 ? "day" : "days"}.`).waitFor();
    });
  });

  test("strip and groups of a funnel have one meaning of their shares, and name it", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/funnels?step=page&step=connect&step=track:Swap&group=location");
      for (const [button, words, column] of [
        ["% of the first step", "of the first step", "conversion_from_start"],
        ["% of the step before", "of the step before", "conversion_from_previous"],
      ] as const) {
        await page.getByRole("button", { name: button }).click();
        await settle(page);
        const texts = (row: Row) => `${rate(Number(row[column]))} ${words}`;
        await expectShown(
          `the strip, ${words}`,
          () => readTexts(page.locator(".funnel-result .funnel > li:not(:first-child)"), [".funnel-share"]),
          async () => (await askFunnel({})).slice(1).map((row) => [texts(row)]),
        );
        const groups = page.locator("section.panel[aria-label='By country']");
        assert.equal(await groups.locator("h2").textContent(), `By country % ${words}`);
        const shown = await groups.locator("tbody small").allTextContents();
        const answered = (await askFunnel({ group_by: "location" })).filter((row) => row.step !== 1);
        assert.deepEqual(
          shown.map((text) => text.trim()),
          answered.flatMap((row) => (row[column] === null ? [] : [rate(Number(row[column]))])),
        );
      }
      await page.getByRole("button", { name: "How is this counted?" }).last().click();
      await page.getByRole("dialog").getByText("A visitor counts once, under the value of the visit").waitFor();
    });
  });

  test("a new step asks for its name, and the numbers before it stay, greyed", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/funnels?step=page&step=connect");
      const counts = () => page.locator(".funnel-result .funnel-count").allTextContents();
      const before = await counts();
      await page.getByRole("button", { name: "Add a step" }).click();
      await page.waitForURL(/step=page&step=connect&step=track/);
      const name = page.getByLabel("Step 3: Name of the event");
      assert.ok(await name.evaluate((input) => input === input.ownerDocument.activeElement), "the name is asked for");
      await page.getByText("A step has no name yet: these numbers are of the funnel before it.").waitFor();
      assert.deepEqual(await counts(), before);
      await name.fill("Swap");
      await page.waitForURL(/step=track:Swap/);
      await settle(page);
      assert.equal((await counts()).length, 3);
      assert.equal(await page.locator(".greyed").count(), 0);
    });
  });

  test("a step asks for a property that its events have, and counts those", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/funnels?step=page&step=track:Swap");
      await page.getByRole("button", { name: "Step 2: add a condition" }).click();
      const form = page.getByRole("dialog", { name: "Property of the event" });
      const offered = form.locator("datalist").first().locator("option");
      await offered.first().waitFor({ state: "attached" });
      const { data } = await ask<{ data: { name: string; count: number; example: string }[] }>(
        site,
        "/v0/event_properties",
        { ...lastDays(28), type: "track", event: "Swap" },
      );
      assert.deepEqual(
        await offered.evaluateAll((options) => options.map((one) => `${one.getAttribute("value")} ${one.textContent}`)),
        data.map(({ name, count, example }) => `${name} ${example} · ${count} events`),
      );
      assert.equal(data[0]?.name, "token");
      await form.getByLabel("Property").fill("token");
      await form.getByLabel("Value").fill("ETH");
      await form.getByRole("button", { name: "Apply" }).click();
      await page.waitForURL(/where=2:token\.eq\.ETH/);
      await settle(page);
      const filters = [{ field: "token", op: "eq", value: "ETH" }];
      const steps = JSON.stringify([STEPS[0], { ...STEPS[2], filters }]);
      const counted = (await askFunnel({ steps })).map(({ users }) => full(Number(users), "count"));
      assert.deepEqual(await page.locator(".funnel-result .funnel-count").allTextContents(), counted);
      assert.deepEqual(counted, ["7", "1"]);
      assert.equal(await page.locator(".funnel-label").last().textContent(), "2. Swap, token is ETH");
      await page.getByRole("button", { name: "Step 2: remove token is ETH" }).click();
      await settle(page);
      assert.deepEqual(await page.locator(".funnel-result .funnel-count").allTextContents(), ["7", "2"]);
    });
  });

  test("a flow shows who left at each step, and with an end what leads to it", async () => {
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/flows");
      await expectShown(
        "who left",
        async () =>
          (await page.locator(".flow-left").allTextContents()).map((text) => [text.replace(/^Step \d+: /, "")]),
        async () => {
          const rows = await askFlow({ include_exits: "true" });
          return [...new Set(rows.map(({ step }) => step))].map((step) => {
            const own = rows.filter((row) => row.step === step);
            const sum = (some: readonly Row[]) => some.reduce((all, row) => all + Number(row.transitions), 0);
            const left = sum(own.filter(({ target }) => target === ""));
            return [`${full(left, "count")} left ${rate(left / sum(own))}`];
          });
        },
      );
      await page.getByRole("button", { name: "End at" }).click();
      await page.getByLabel("Last step: kind").selectOption("connect");
      await page.waitForURL(/end=connect/);
      await settle(page);
      assert.equal(await page.locator(".flow-left").count(), 0);
      const ends = await askFlow({ end_step: JSON.stringify({ type: "event", event: "connect" }) });
      const connected = ends.filter(({ target }) => target === "connect__END_MATCH__");
      const node = page.locator(".flow-node", { hasText: "Wallet connected" });
      assert.equal(await node.count(), new Set(connected.map(({ step }) => step)).size);
      assert.match(
        (await node.first().textContent()) ?? "",
        new RegExp(`^Wallet connected${connected[0]?.transitions}`),
      );
    });
  });

  test("names from outside cannot turn the text around, and paths are readable", async () => {
    const when = new Date(Date.now() - 60_000).toISOString();
    const common = { anonymous_id: "late", original_timestamp: when, sent_at: when, channel: "server" };
    const context = JSON.stringify({ page_url: "https://app.example.com/%F0%9F%9A%80/a%2Fb" });
    await site.send([
      sampleEvent("late-page", { ...common, context, type: "page" }),
      sampleEvent("late-track", { ...common, context, type: "track", event: "a\u202Egnp.exe" }),
    ]);
    await site.withPage(LOCALE, async (page) => {
      await open(page, "/activity");
      await page.locator(".event-what bdi", { hasText: "/🚀/a%2Fb" }).first().waitFor();
      await page.locator(".event-what bdi", { hasText: "a⟨U+202E⟩gnp.exe" }).waitFor();
      await open(page, "");
      const pages = page.locator('section.panel[aria-label^="Pages"]');
      await pages.locator(".ranked-name bdi", { hasText: "/🚀/a%2Fb" }).first().waitFor();
    });
  });

  const STEPS = [
    { type: "event", event: "page", name: "a" },
    { type: "event", event: "connect", name: "b" },
    { type: "track", event: "Swap", name: "c" },
  ];

  async function askFunnel(query: Record<string, string>): Promise<readonly Row[]> {
    const steps = JSON.stringify(STEPS);
    return (await ask(site, "/v0/funnel", { ...lastDays(28), steps, window_seconds: "86400", limit: "8", ...query }))
      .data;
  }

  async function askFlow(query: Record<string, string>): Promise<readonly Row[]> {
    const start_step = JSON.stringify({ type: "event", event: "page", resolved_event: "__ALL_PAGE_VIEWS__" });
    const asked = { ...lastDays(28), start_step, max_steps: "4", nodes_per_step: "7", ...query };
    return (await ask(site, "/v0/flow", asked)).data;
  }
});

/** Visitors of three weeks, some of whom come back, connect a wallet and swap. */
function cohorts(): object[] {
  const events: object[] = [];
  const visit = (visitor: number, day: number) => {
    const at = day * DAY_MS + 3_600_000 + visitor * 60_000;
    const steps = [
      { type: "page" },
      ...(visitor % 2 === 0 ? [{ type: "connect", properties: '{"chain_id":1,"rdns":"io.metamask"}' }] : []),
      ...(visitor % 4 === 0
        ? [{ type: "track", event: "Swap", properties: JSON.stringify({ token: visitor === 4 ? "ETH" : "USDC" }) }]
        : []),
    ];
    steps.forEach((step, index) => {
      const when = new Date(at + index * 10_000).toISOString();
      events.push(
        sampleEvent(`cohort-${events.length}`, {
          anonymous_id: `visitor-${visitor}`,
          original_timestamp: when,
          sent_at: when,
          channel: "server",
          address: `0x${String(visitor).padStart(40, "5")}`,
          context: JSON.stringify({ page_url: "https://app.example.com/swap", location: visitor < 4 ? "US" : "DE" }),
          ...step,
        }),
      );
    });
  };
  for (const visitor of [0, 1, 2, 3]) visit(visitor, monday - 21);
  for (const visitor of [4, 5]) visit(visitor, monday - 14);
  visit(6, monday - 7);
  for (const visitor of [0, 1]) visit(visitor, monday - 14);
  for (const visitor of [0, 4, 5]) visit(visitor, monday - 7);
  return events;
}
