import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SEED, sampled } from "../../src/lib/testing.ts";
import { BOTH_IN_LONG } from "../support/both-engines.ts";
import { type ProfileApi, startProfileApi, type WalletEvent } from "../support/profile-api.ts";

const ADA = "0xAbCdEf0123456789aBcDeF0123456789abcDEF01";
const BEA = `0x${"b".repeat(40)}`;
const SOL = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";
const TOLD = `0x${"d".repeat(40)}`;
const IMPORTED = `0x${"e".repeat(40)}`;
const NOBODY = `0x${"f".repeat(40)}`;
const [ada] = [ADA.toLowerCase()];

const arrival = (query: string, more: object = {}) => ({ page_url: `https://app.example/${query}`, ...more });
const EVENTS: readonly WalletEvent[] = [
  {
    address: ADA,
    daysAgo: 40,
    type: "page",
    context: arrival("?utm_source=Google&utm_medium=cpc&ref=ada", { location: "DE", device: "desktop" }),
  },
  {
    address: ADA,
    daysAgo: 3,
    context: arrival("?utm_source=news"),
    event: "swap",
    properties: { revenue: 2.5, volume: 100 },
  },
  {
    address: ADA,
    daysAgo: 0,
    type: "transaction",
    properties: { revenue: 1, chain_id: 10, points: 7, status: "broadcasted" },
  },
  { address: BEA, daysAgo: 45, context: arrival("", { location: "FR" }), user_id: "u-bea", properties: { revenue: 2 } },
  {
    address: SOL,
    daysAgo: 2,
    context: arrival("?utm_source=google&MSCLKID=ms-1"),
    event: "deposit",
    properties: { volume: 5 },
  },
];
const ALL = [ada, SOL, BEA, TOLD, IMPORTED];

/** Conditions -> the wallets that meet them, in any order. */
const SEARCHES: readonly (readonly [object[], readonly string[], ("or" | "and")?])[] = [
  [[{ field: "users.revenue", op: "gte", value: 2 }], [ada, BEA]],
  [[{ field: "users.revenue", op: "eq", value: "3.5" }], [ada]],
  [[{ field: "users.revenue", op: "neq", value: 3.5 }], [BEA, SOL, TOLD, IMPORTED]],
  [[{ field: "revenue", op: "less", value: 2 }], [SOL, TOLD, IMPORTED]],
  [[{ field: "users.volume", op: "gt", value: 5 }], [ada]],
  [
    [
      { field: "users.volume", op: "lte", value: 5 },
      { field: "users.points", op: "lt", value: 1 },
    ],
    [BEA, SOL, TOLD, IMPORTED],
  ],
  [[{ field: "users.net_worth_usd", op: "gte", value: 0 }], []],
  [[{ field: "users.net_worth_usd", op: "neq", value: 0 }], []],
  [[{ field: "users.location", op: "eq", value: "FR" }], [BEA]],
  [[{ field: "users.location", op: "eq", value: "AT" }], [ada]],
  [[{ field: "users.location", op: "in", value: ["AT", "FR"] }], [ada, BEA]],
  [[{ field: "users.location", op: "isEmpty" }], [SOL, TOLD, IMPORTED]],
  [[{ field: "users.device", op: "neq", value: "desktop" }], [BEA, SOL, TOLD, IMPORTED]],
  [[{ field: "users.device", op: "notEmpty" }], [ada]],
  [[{ field: "users.utm_source", op: "contains", value: "oogle" }], [ada, SOL]],
  [[{ field: "users.utm_source", op: "contains", value: "Goo" }], [ada]],
  [[{ field: "users.first_utm_source", op: "startsWith", value: "goo" }], [SOL]],
  [[{ field: "users.last_utm_source", op: "endsWith", value: "ews" }], [ada]],
  [[{ field: "users.last_utm_source", op: "nin", value: "news|google" }], [BEA, TOLD, IMPORTED]],
  [[{ field: "users.first_ref", op: "gte", value: "ada" }], [ada]],
  [[{ field: "users.click_id", op: "notEmpty" }], [SOL]],
  [[{ field: "users.last_click_id", op: "startsWith", value: "ms-" }], [SOL]],
  [[{ field: "users.paid_source", op: "eq", value: "microsoft" }], [SOL]],
  [[{ field: "users.paid_source", op: "eq", value: "paid_utm" }], [ada]],
  [[{ field: "users.last_paid_source", op: "isEmpty" }], [ada, BEA, TOLD, IMPORTED]],
  [[{ field: "users.ens", op: "eq", value: "Ada.eth" }], [ada]],
  [[{ field: "users.ens", op: "neq", value: "Ada.eth" }], [BEA, SOL, TOLD, IMPORTED]],
  [[{ field: "users.ens", op: "contains", value: "ADA" }], [ada]],
  [[{ field: "users.twitter", op: "notEmpty" }], [IMPORTED]],
  [[{ field: "users.lifecycle", op: "eq", value: "resurrected" }], [ada]],
  [[{ field: "users.lifecycle", op: "in", value: ["New", "Churned"] }], [BEA, SOL]],
  [[{ field: "chains.balance", op: "gte", value: 0 }], []],
  [[{ field: "chains.balance", op: "gte", value: 0, chain_id: "1" }], []],
  [[{ field: "apps.balance", op: "gte", value: 0, app_id: "uniswap", chain_id: "1" }], []],
  [[{ field: "tokens.balance", op: "gte", value: 0, token_address: "0x1", scope: "protocol", app_id: "aave" }], []],
  [[{ field: "labels.value", op: "eq", value: "gold", tag_id: "Tier" }], [TOLD]],
  [[{ field: "labels.value", op: "eq", value: "gold", tag_id: "tier", chain_id: "1" }], []],
  [[{ field: "labels.value", op: "neq", value: "gold", tag_id: "tier" }], [BEA]],
  [[{ field: "labels.value", op: "gt", value: 9, tag_id: "score" }], [ada]],
  [[{ field: "labels.value", op: "gt", value: "9", tag_id: "score", chain_id: "1" }], [ada]],
  [[{ field: "labels.value", op: "contains", value: "OL", tag_id: "tier" }], [TOLD]],
  [
    [
      { field: "users.revenue", op: "gt", value: 3 },
      { field: "users.ens", op: "notEmpty" },
    ],
    [ada],
  ],
  [
    [
      { field: "users.revenue", op: "gt", value: 3 },
      { field: "users.location", op: "eq", value: "FR" },
    ],
    [ada, BEA],
    "or",
  ],
  [
    [
      { field: "chains.balance", op: "gt", value: 1 },
      { field: "users.location", op: "eq", value: "FR" },
    ],
    [BEA],
    "or",
  ],
];

/** The older form. */
const OLD_SEARCHES: readonly (readonly [object, readonly string[]])[] = [
  [{ conditions: [{ field: "chains.1.balance", op: "gt", value: 0 }], logic: "and" }, []],
  [{ conditions: [{ field: "apps.balance", op: "gt", value: 0, appId: "aave" }] }, []],
  [
    {
      conditions: [
        { field: "apps.aave.balance", op: "gt", value: 0 },
        { field: "users.revenue", op: "gt", value: 3 },
      ],
      logic: "or",
    },
    [ada],
  ],
  [{ conditions: [{ field: "labels.tier.value", op: "eq", value: "gold" }] }, [TOLD]],
  [{ conditions: [{ field: "labels.value", op: "eq", value: "11", tagId: "score", chainId: "1" }] }, [ada]],
];

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`profiles on ${name}`, { skip }, () => {
    let site: ProfileApi;
    const isLocal = name === "DuckDB";
    before(async () => {
      site = await startProfileApi("sqlite", start);
      await site.store(EVENTS);
      const [yesterday, old] = [1, 50].map((days) => new Date(Date.now() - days * 86_400_000).toISOString());
      const written = [
        await site.call("PUT", `/v0/profiles/${ADA}/properties`, {
          ens: "Ada.eth",
          location: "AT",
          display_name: "Ada",
        }),
        await site.call("POST", `/v0/profiles/${ADA}/labels`, [
          { tag_id: "score", value: "11", chain_id: "1", timestamp: yesterday },
          { tag_id: "score", value: "5", chain_id: "1", timestamp: old },
        ]),
        await site.call("POST", "/v0/profiles/labels/", [
          { address: TOLD, tag_id: " TIER ", value: "gold" },
          { address: BEA, tag_id: "tier", value: "silver" },
        ]),
        await site.call("POST", "/v0/import", {
          addresses: [IMPORTED],
          rows: [{ address: IMPORTED, properties: { twitter: "eve", unknown: 1 } }],
        }),
      ];
      assert.deepEqual(
        written.map(({ status, text }) => `${status} ${status < 300 ? "" : text}`),
        ["200 ", "200 ", "200 ", "201 "],
      );
    });
    after(() => site.stop());

    const addresses = async (method: string, path: string, body?: object): Promise<string[]> => {
      const { status, text, body: found } = await site.call(method, path, body);
      assert.equal(status, 200, text);
      assert.equal(found.total, found.data.length);
      return found.data.map(({ address }: { address: string }) => address);
    };

    test("a profile has what its events say, what the app says, and null for the rest", async () => {
      const { status, body, text } = await site.call(
        "GET",
        `/v0/profiles/${ADA.toUpperCase().replace("0X", "0x")}?expand=labels,chains,apps,tokens`,
      );
      assert.equal(status, 200, text);
      const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
      const { first_seen, last_seen, updated_at, activity_dates, last_properties, ...rest } = body;
      assert.equal(first_seen.slice(0, 10), day(40));
      assert.equal(last_seen.slice(0, 10), day(0));
      assert.ok(updated_at >= last_seen);
      assert.deepEqual(activity_dates, [day(40), day(3), day(0)]);
      assert.deepEqual(JSON.parse(last_properties), { revenue: 1, chain_id: 10, points: 7, status: "broadcasted" });
      const unknown = { net_worth_usd: null, tx_count: null, first_onchain: null, last_onchain: null };
      const touches = Object.fromEntries(
        ["utm_content", "utm_term", "utm_campaign", "referrer", "referrer_url", "click_id"].flatMap((key) => [
          [`first_${key}`, null],
          [`last_${key}`, null],
        ]),
      );
      const socials = Object.fromEntries(
        "farcaster lens basenames linea avatar description discord telegram twitter github linkedin email instagram facebook website reddit youtube tiktok"
          .split(" ")
          .map((key) => [key, null]),
      );
      assert.deepEqual(rest, {
        address: ada,
        ...unknown,
        ...socials,
        ens: "Ada.eth",
        display_name: "Ada",
        user_id: null,
        lifecycle: "Resurrected",
        num_sessions: 3,
        events: 3,
        transactions: 1,
        signatures: 0,
        revenue: 3.5,
        volume: 100,
        points: 7,
        device: "desktop",
        browser: null,
        os: null,
        location: "AT",
        ...touches,
        first_utm_source: "Google",
        last_utm_source: "news",
        first_utm_medium: "cpc",
        last_utm_medium: null,
        first_ref: "ada",
        last_ref: null,
        first_channel: rest.first_channel,
        last_channel: rest.last_channel,
        first_paid_source: "paid_utm",
        last_paid_source: null,
        last_type: "transaction",
        last_event: null,
        imported_at: null,
        chains: [{ chain_id: "10", ...unknown }],
        apps: null,
        tokens: null,
        labels: [{ id: "score", value: "11", chain_id: "1", source: "import" }],
      });
    });

    test("a wallet is found by the name that the app gave it, and keeps its case on Solana", async () => {
      assert.equal((await site.call("GET", "/v0/profiles/ada.ETH")).body.address, ada);
      assert.equal((await site.call("GET", `/v0/profiles/${SOL}/`)).body.address, SOL);
      assert.equal((await site.call("GET", `/v0/profiles/${SOL.replace("7Ec", "7ec")}`)).status, 404);
      const told = (await site.call("GET", `/v0/profiles/${TOLD}?expand=labels`)).body;
      assert.deepEqual([told.first_seen, told.lifecycle, told.labels[0].chain_id], [null, null, "-"]);
      const imported = (await site.call("GET", `/v0/profiles/${IMPORTED}`)).body;
      assert.deepEqual([imported.twitter, imported.events, imported.activity_dates], ["eve", 0, []]);
      assert.ok(Date.parse(imported.imported_at) > 0);
    });

    test("every wallet is listed, those without events last, in pages", async () => {
      assert.deepEqual(await addresses("GET", "/v0/profiles"), ALL);
      assert.deepEqual(await addresses("GET", "/v0/profiles/?order_by=first_seen&order_dir=asc"), [
        BEA,
        ada,
        SOL,
        TOLD,
        IMPORTED,
      ]);
      assert.deepEqual(await addresses("GET", "/v0/profiles?order_by=revenue"), [ada, BEA, SOL, TOLD, IMPORTED]);
      assert.deepEqual(await addresses("GET", "/v0/profiles?order_by=transactions"), [ada, BEA, SOL, TOLD, IMPORTED]);
      const pages = [];
      for (const page of [1, 2, 3, 4]) {
        const { body } = await site.call("GET", `/v0/profiles?size=2&page=${page}`);
        pages.push([body.data.map(({ address }: { address: string }) => address), body.total, body.has_more]);
      }
      assert.deepEqual(pages, [
        [[ada, SOL], 5, true],
        [[BEA, TOLD], 5, true],
        [[IMPORTED], 5, false],
        [[], 5, false],
      ]);
    });

    test("by the last change: of its events, or of what the app said", async () => {
      const list = async (query: string) => {
        const { body } = await site.call("GET", `/v0/profiles?order_by=updated_at${query}`);
        return body.data as { address: string; updated_at: string; first_seen: string | null }[];
      };
      for (const [query, way] of [
        ["", -1],
        ["&order_dir=asc", 1],
      ] as const) {
        const found = await list(query);
        assert.equal(found.length, ALL.length);
        const key = ({ first_seen, updated_at }: (typeof found)[number]) =>
          [first_seen === null ? 1 : 0, way * Date.parse(updated_at)] as const;
        const sorted = found.toSorted((a, b) => key(a)[0] - key(b)[0] || key(a)[1] - key(b)[1]);
        assert.deepEqual(
          found.map(({ updated_at }) => updated_at),
          sorted.map(({ updated_at }) => updated_at),
        );
      }
    });

    test("one wallet, a text of a name or of an address, and thresholds of the lifecycle", async () => {
      assert.deepEqual(await addresses("GET", `/v0/profiles?address=${ADA}&timestamp=2026-01-01T00:00:00Z`), [ada]);
      assert.deepEqual(await addresses("GET", `/v0/profiles?address=${TOLD}`), [TOLD]);
      assert.deepEqual(await addresses("GET", `/v0/profiles?address=${NOBODY}`), []);
      assert.deepEqual(await addresses("GET", "/v0/profiles?search=aDA"), [ada]);
      assert.deepEqual(await addresses("GET", "/v0/profiles?search=EVE"), [IMPORTED]);
      assert.deepEqual(await addresses("GET", "/v0/profiles?search=0XBBB"), [BEA]);
      const power = "power_user_min_active_days=2";
      const body = { filters: [{ field: "users.lifecycle", op: "eq", value: "Power user" }] };
      assert.deepEqual(await addresses("GET", `/v0/profiles?${power}`, body), [ada]);
      const { lifecycle } = (await site.call("GET", `/v0/profiles/${ADA}?${power}`)).body;
      assert.equal(lifecycle, "Power user");
    });

    test("every class of fields finds the wallets that meet it, by GET with a body and by POST", async () => {
      // An emulated ClickHouse takes ten seconds for each: eight of them, also in a long run.
      const step = Math.ceil(SEARCHES.length / 8);
      const cases = isLocal ? sampled(SEARCHES, 12) : SEARCHES.filter((_, nth) => (nth + SEED) % step === 0);
      for (const [at, [filters, expected, logic]] of cases.entries()) {
        const body = { filters, ...(logic ? { logic } : {}) };
        const [method, path] = (
          [
            ["GET", "/v0/profiles"],
            ["GET", "/v0/profiles/"],
            ["POST", "/v0/profiles/search"],
            ["POST", "/v0/profiles"],
          ] as const
        )[at % 4] ?? ["GET", "/v0/profiles"];
        assert.deepEqual((await addresses(method, path, body)).sort(), [...expected].sort(), JSON.stringify(body));
      }
      for (const [body, expected] of sampled(OLD_SEARCHES, 2))
        assert.deepEqual(
          (await addresses("POST", "/v0/profiles/", body)).sort(),
          [...expected].sort(),
          JSON.stringify(body),
        );
    });
  });
