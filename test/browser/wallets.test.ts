/** Wallets in a real Chromium: what the list and a wallet's page show is the API's. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { shortAddress, valueName } from "../../dashboard/src/format/names.ts";
import { full } from "../../dashboard/src/format/numbers.ts";
import { type DashboardService, startDashboard, visits } from "./dashboard-service.ts";
import { LOCALE } from "./demo-site.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, type Row, readTable, readTexts } from "./shown-rows.ts";
import { expectWallets, findWallets, momentOf, openApp, type Profile, sharedVisits } from "./wallet-site.ts";

describe("wallets in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDashboard();
    await site.send(visits());
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  const richest = async (): Promise<Profile> => {
    const [first] = (await findWallets(site, { order_by: "revenue" })).data;
    assert.ok(first && first.revenue > 0);
    return first;
  };

  test("the list has every wallet, finds one by a part of its address, orders by a column, and is downloaded", async () => {
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/wallets");
      const { total } = await findWallets(site);
      assert.equal(total, 12);
      await expectWallets(site, page);
      await page.getByRole("button", { name: "Revenue" }).click();
      await page.waitForURL(/order=revenue/);
      await settle(page);
      await expectWallets(site, page, { order_by: "revenue" });
      await page.getByRole("button", { name: "Revenue" }).click();
      await page.waitForURL(/dir=asc/);
      await settle(page);
      await expectWallets(site, page, { order_by: "revenue", order_dir: "asc" });
      assert.equal(await page.locator("th[aria-sort]").getAttribute("aria-sort"), "ascending");
      await page.getByLabel("Search wallets").fill("5512");
      await page.waitForURL(/q=5512/);
      await settle(page);
      await expectWallets(site, page, { order_by: "revenue", order_dir: "asc", search: "5512" });
      assert.equal(await page.locator(".wallet-table tbody tr").count(), 1);
      await page.getByLabel("Search wallets").fill("");
      await page.waitForURL((url) => !url.search.includes("q="));
      await settle(page);
      const downloading = page.waitForEvent("download");
      await page.getByRole("button", { name: "CSV" }).click();
      const lines = readFileSync(await (await downloading).path(), "utf8")
        .trim()
        .split("\r\n");
      const { data } = await findWallets(site, { order_by: "revenue", order_dir: "asc" });
      assert.deepEqual(
        lines.slice(1).map((line) => line.split(",").slice(0, 7)),
        data.map(({ address, first_seen, last_seen, ...counts }) => [
          address,
          first_seen,
          last_seen,
          ...[counts.num_sessions, counts.transactions, counts.volume, counts.revenue].map(String),
        ]),
      );
    });
  });

  test("a wallet's page has its totals, touches and events, and its labels are added and removed", async () => {
    const profile = await richest();
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, "/wallets?order=revenue");
      await page.locator(`.wallet-table .address[title="${profile.address}"] a`).click();
      await page.waitForURL(/\/app\/wallets\/wallet\?address=0x/);
      await settle(page);
      await page.locator(".wallet-name code", { hasText: profile.address }).waitFor();
      const { num_sessions, events, transactions, signatures, volume, revenue, activity_dates } = profile;
      const counts = [num_sessions, events, transactions, signatures].map((value) => [full(value, "count")]);
      const amounts = [volume, revenue].map((value) => [full(value, "amount")]);
      await expectShown(
        "the totals",
        () => readTexts(page.locator(".wallet-totals > div"), ["dd"]),
        async () => [...counts, ...amounts, [full(0, "number")], [full(activity_dates.length, "count")]],
      );
      const facts = await readTexts(page.locator(".wallet-facts > div"), ["dt", "dd"]);
      assert.deepEqual(facts.slice(0, 4), [
        ["Lifecycle", profile.lifecycle],
        ["First seen", momentOf(profile.first_seen)],
        ["Last seen", momentOf(profile.last_seen)],
        ["User id", "–"],
      ]);
      const touches = page.locator('section[aria-label="First and last touch"] tbody tr').first();
      const channel = valueName("channel", profile.first_channel);
      assert.deepEqual(await touches.locator("th, td").allTextContents(), ["Channel", channel, channel]);
      await expectShown(
        "the timeline",
        async () =>
          (
            await page
              .locator(".timeline-session time")
              .evaluateAll((all) => all.map((one) => one.getAttribute("datetime")))
          ).map((time) => [time ?? ""]),
        async () => (await eventsOf(profile)).map(({ timestamp }) => [String(timestamp)]),
      );
      await page.getByLabel("Label", { exact: true }).fill(" Tier ");
      await page.getByLabel("Value", { exact: true }).fill("gold");
      await page.getByRole("button", { name: "Add label" }).click();
      await page.locator(".wallet-labels .chip", { hasText: "tier: gold" }).waitFor();
      assert.deepEqual(await labelsOf(profile.address), ["tier=gold"]);
      await openApp(site, page, "/wallets?where=label:tier.eq.gold");
      assert.equal(await page.locator(".wallet-table tbody tr").count(), 1);
      await page.goBack();
      await page.getByRole("button", { name: "Remove the label tier: gold" }).click();
      await page.locator(".wallet-labels .chip").waitFor({ state: "detached" });
      assert.deepEqual(await labelsOf(profile.address), []);
    });
  });

  test("a wallet's page has its chains, click id and sessions, and who it was seen with, as the API has them", async () => {
    const [evm, other, solana] = [
      `0x${"a1".repeat(20)}`,
      `0x${"b2".repeat(20)}`,
      "cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5",
    ];
    await site.send(sharedVisits([evm, other, solana]));
    const profile = await ask<Profile & { chains: { chain_id: string }[] }>(site, `/v0/profiles/${evm}`, {
      expand: "labels,chains",
    });
    const { data: identities } = await ask(site, `/v0/profiles/${evm}/identities`, {});
    const events = await eventsOf(profile);
    await site.withPage(LOCALE, async (page) => {
      await openApp(site, page, `/wallets/wallet?address=${evm.toUpperCase().replace("0X", "0x")}`);
      const together = (column: string) => [
        ...new Set(identities.map((one) => String(one[column])).filter((name) => name !== "" && name !== evm)),
      ];
      assert.deepEqual(together("address").toSorted(), [other, solana].toSorted());
      await expectShown(
        "whom it was seen with",
        async () => (await readLists(page)).map((list) => list.toSorted()),
        async () =>
          [together("address").map(shortAddress), together("user_id"), together("anonymous_id")].map((list) =>
            list.toSorted(),
          ),
      );
      const touches = await readTable(page.locator('section[aria-label="First and last touch"]'));
      const row = touches.find(([name]) => name === "Click id");
      const { first_click_id, last_click_id } = profile as unknown as Record<string, string | null>;
      assert.equal(first_click_id, "Cj0first");
      assert.deepEqual(row?.slice(1), [first_click_id, last_click_id ?? "–"]);
      await expectShown(
        "the chains",
        async () =>
          (await readTexts(page.locator(".wallet-chains > li"), ["a"])).map(([host]) => [host === evm ? "linked" : ""]),
        async () => profile.chains.map(() => ["linked"]),
      );
      const sessions = Map.groupBy(events, ({ timestamp, session_id }) =>
        [String(timestamp).slice(0, 10), session_id].join(" "),
      );
      await expectShown(
        "the number of events in each session",
        async () => [
          await page
            .locator(".timeline-session")
            .evaluateAll((all) => all.map((one) => String(one.querySelectorAll("li").length))),
        ],
        async () => [[...sessions.values()].map(({ length }) => String(length))],
      );
      assert.equal(
        await page.locator(".timeline-day").count(),
        new Set(events.map(({ timestamp }) => String(timestamp).slice(0, 10))).size,
      );
      // An address of another chain leads to its page, too.
      await page.locator(`.wallet-seen .address[title="${solana}"] a`).click();
      await page.locator(".wallet-name code", { hasText: solana }).waitFor();
      await settle(page);
      assert.equal(await page.locator(".wallet-totals > div").first().locator("dd").textContent(), "1");
    });
  });

  /** Other wallets, user ids and visitors. */
  const readLists = async (page: Page): Promise<string[][]> =>
    page
      .locator(".wallet-seen-with dd")
      .evaluateAll((all) =>
        all.map((one) => [...one.querySelectorAll("li")].map((item) => (item.textContent ?? "").trim())),
      );

  async function eventsOf({ address, first_seen, last_seen }: Profile): Promise<readonly Row[]> {
    const days = { date_from: first_seen.slice(0, 10), date_to: last_seen.slice(0, 10) };
    return (await ask(site, "/v0/activity", { ...days, address, limit: "50" })).data;
  }

  async function labelsOf(address: string): Promise<string[]> {
    const { labels } = await ask<Profile>(site, `/v0/profiles/${address}`, { expand: "labels" });
    return labels.map(({ id, value }) => `${id}=${value}`);
  }
});
