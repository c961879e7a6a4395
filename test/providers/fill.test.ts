import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWriteWallets } from "../../src/profiles/write-wallets.ts";
import { fillWallets } from "../../src/providers/fill.ts";
import { type Provider, ProviderFailed, type WalletFacts } from "../../src/providers/provider.ts";
import { BOTH_IN_LONG } from "../support/both-engines.ts";
import { type ProfileApi, startProfileApi } from "../support/profile-api.ts";

const DAY_MS = 86_400_000;
const [ADA, BEA, CAT, DAN] = ["a", "b", "c", "d"].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
];
const SOL = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";
const TOKEN = {
  ...{ chain_id: "1", token_address: "0x1", name: "One", symbol: "ONE", decimals: 18 },
  ...{ price: 2, balance: "5", balance_usd: 10 },
};
const { signal } = new AbortController();

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`what providers tell, on ${name}`, { skip }, () => {
    // What it does to the engine is in the others; an emulated ClickHouse takes minutes.
    const onlyOnDuckdb = name === "ClickHouse" && "an emulated ClickHouse takes minutes for them";
    let site: ProfileApi;
    const asked: string[] = [];
    const answers = new Map<string, WalletFacts | Error>();
    const provider: Provider = {
      name: "test",
      keptDays: { found: 30, nothing: 7 },
      async find(address) {
        asked.push(address);
        const answer = answers.get(address) ?? { ens: null, avatar: null };
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
    before(async () => {
      site = await startProfileApi("sqlite", start);
      await site.store([ADA, ADA, BEA, CAT, SOL].map((address) => ({ address, daysAgo: 0 })));
    });
    after(() => site.stop());

    /** Resolves with the wallets that were asked for. */
    async function fill(
      laterMs = 0,
      wanted: Pick<ProfileApi["wanted"], "take"> = { take: () => [] },
    ): Promise<string[]> {
      asked.length = 0;
      const nowMs = Date.now() + laterMs;
      const deps = { engine: site.engine, writeWallets: createWriteWallets(site.engine), provider, wanted };
      await fillWallets(
        { ...deps, listProjects: async () => [site.project] },
        { sinceMs: Date.now() - DAY_MS, nowMs, signal },
      );
      return asked.toSorted();
    }
    const get = async (of: string, query = "") => (await site.call("GET", `/v0/profiles/${of}${query}`)).body;
    const find = async (filter: object): Promise<string[]> => {
      const { body } = await site.call("POST", "/v0/profiles", { filters: [filter] });
      return (body.data as { address: string }[]).map(({ address }) => address);
    };

    test("wallets that were active lately get a name, a picture, their worth and tokens, and are asked for once", async () => {
      answers.set(ADA, {
        ens: "ada.eth",
        avatar: "https://pictures.example/ada",
        net_worth_usd: 1_250.5,
        tokens: [TOKEN],
      });
      assert.deepEqual(await fill(), [ADA, BEA, CAT], "not for a wallet of Solana");
      const ada = await get(ADA, "?expand=tokens");
      assert.deepEqual(
        [ada.ens, ada.avatar, ada.net_worth_usd, ada.tokens],
        ["ada.eth", "https://pictures.example/ada", 1_250.5, [{ app_id: null, img: null, ...TOKEN }]],
      );
      assert.equal(ada.updated_at, ada.last_seen, "a provider changes no profile");
      const bea = await get(BEA, "?expand=tokens");
      assert.deepEqual([bea.ens, bea.net_worth_usd, bea.tokens], [null, null, null]);
      assert.deepEqual(await fill(), []);
    });

    test("a wallet is found by what a provider tells", async () => {
      assert.equal((await get("ada.eth")).address, ADA);
      assert.deepEqual(await find({ field: "users.ens", op: "contains", value: "ADA" }), [ADA]);
      assert.deepEqual(await find({ field: "users.net_worth_usd", op: "gte", value: 1_250.5 }), [ADA]);
      assert.deepEqual(await find({ field: "users.net_worth_usd", op: "lt", value: 1_250.5 }), []);
      for (const way of ["desc", "asc"]) {
        const { body } = await site.call("POST", `/v0/profiles?order_by=net_worth_usd&order_dir=${way}&size=2`, {});
        assert.equal(body.data[0].address, ADA, `${way}: who has none comes last`);
        assert.deepEqual([body.data.length, body.total], [2, 4]);
      }
    });

    test("an answer expires: after 30 days, and after 7 if there was none", { skip: onlyOnDuckdb }, async () => {
      assert.deepEqual(await fill(7 * DAY_MS - 120_000), []);
      assert.deepEqual(await fill(7 * DAY_MS + 120_000), [BEA, CAT]);
      answers.set(ADA, { ens: null, avatar: null });
      assert.deepEqual(await fill(30 * DAY_MS + 120_000), [ADA, BEA, CAT]);
      assert.deepEqual((await get(ADA)).ens, null, "a name that is gone");
    });

    test("what the app says counts before a provider, also that there is nothing", async () => {
      answers.set(BEA, { ens: "bea.eth" });
      answers.set(CAT, { ens: "cat.eth" });
      await site.call("PUT", `/v0/profiles/${BEA}/properties`, { ens: "mine.eth" });
      await site.call("PUT", `/v0/profiles/${CAT}/properties`, { ens: null });
      await fill(70 * DAY_MS);
      assert.deepEqual([(await get(BEA)).ens, (await get(CAT)).ens], ["mine.eth", null]);
    });

    test("a wallet that people look at is asked for, though it was not active, and no profile stands on the answer", {
      skip: onlyOnDuckdb,
    }, async () => {
      await site.call("POST", "/v0/import", { addresses: [DAN] });
      assert.equal((await get(DAN)).address, DAN);
      answers.set(DAN, { ens: "dan.eth" });
      assert.ok((await fill(70 * DAY_MS, site.wanted)).includes(DAN));
      assert.equal((await get(DAN)).ens, "dan.eth");
      const gone = `0x${"9".repeat(40)}`;
      answers.set(gone, { ens: "gone.eth" });
      site.wanted.add(site.project, [gone]);
      assert.ok((await fill(70 * DAY_MS, site.wanted)).includes(gone));
      assert.equal((await site.call("GET", `/v0/profiles/${gone}`)).status, 404);
      assert.ok(!(await find({ field: "users.ens", op: "notEmpty" })).includes(gone));
    });

    test("a wallet that was erased after somebody looked at it is not asked for", { skip: onlyOnDuckdb }, async () => {
      const eve = `0x${"e".repeat(40)}`;
      await site.call("POST", "/v0/import", { addresses: [eve] });
      assert.equal((await get(eve)).address, eve);
      assert.equal((await site.call("DELETE", `/v0/profiles/${eve}`)).status, 200);
      assert.ok(!(await fill(0, site.wanted)).includes(eve));
    });

    test("a provider that fails is left alone after five failures in a row, and keeps what was known", {
      skip: onlyOnDuckdb,
    }, async () => {
      const many = Array.from({ length: 40 }, (_, n) => `0x${String(n).padStart(40, "7")}`);
      for (const address of [...many, DAN]) answers.set(address, new ProviderFailed("down"));
      site.wanted.add(site.project, [...many, DAN]);
      await assert.rejects(fill(200 * DAY_MS, site.wanted), ProviderFailed);
      assert.ok(asked.length >= 5 && asked.length <= 8, `asked for ${asked.length}`);
      assert.ok(asked.includes(DAN), "the last that somebody looked at comes first");
      assert.equal((await get(DAN)).ens, "dan.eth");
    });
  });
