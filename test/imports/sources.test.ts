/** Each product's own export, made by hand from its published format: every value below stands in its fixture. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Mapping, NO_MAPPING } from "../../src/imports/from/generic.ts";
import { createRowMapper } from "../../src/imports/map-rows.ts";
import { readFileRows } from "../../src/imports/read/read-file.ts";
import { parseRow } from "../../src/imports/read/read-row.ts";
import { makeMapper, type SourceName } from "../../src/imports/sources.ts";

const NOW = Date.UTC(2026, 10, 17);

interface Wire {
  message_id: string;
  type: string;
  event: string;
  anonymous_id: string;
  user_id: string;
  address: string;
  original_timestamp: string;
  context: Record<string, unknown>;
  properties: Record<string, unknown>;
}

async function readFixture(name: string, source: SourceName, mapping: Mapping = NO_MAPPING) {
  const mapper = createRowMapper({ source, mapRow: makeMapper(source, mapping), nowMs: NOW });
  const events: Wire[] = [];
  const refused: string[] = [];
  let number = 0;
  for await (const { rows, unit } of readFileRows(join(import.meta.dirname, "fixtures", name), 0))
    for (const row of rows) {
      number += 1;
      const mapped = mapper.map(row, number);
      events.push(...mapped.texts.map((text) => JSON.parse(text) as Wire));
      if (mapped.refused !== undefined) refused.push(`${unit} ${row.at}: ${mapped.refused}`);
    }
  return { events, refused };
}

/** The parts of an event that differ, on one line each. */
function brief({ message_id, type, event, anonymous_id, user_id, address, original_timestamp }: Wire): string[] {
  return [message_id, type, event, anonymous_id, user_id, address, original_timestamp];
}

describe("exports of other products", () => {
  test("Umami: page views and events, with visit, place, device, campaign and referrer", async () => {
    const { events, refused } = await readFixture("umami.csv", "umami");
    const visitor = "0b9f5c2e-0001-5d6e-8a11-000000000001";
    const wallet = "0xAbC0000000000000000000000000000000000001";
    assert.deepEqual(events.map(brief), [
      ["imp:umami:018f1c2e-aaaa-7d6e-8a11-000000000001", "page", "", visitor, "", "", "2024-03-01T10:15:00.000Z"],
      [
        "imp:umami:018f1c2e-aaaa-7d6e-8a11-000000000002",
        "track",
        "Swap Completed",
        visitor,
        wallet,
        wallet,
        "2024-03-01T10:16:30.000Z",
      ],
    ]);
    assert.deepEqual(events[0]?.context, {
      session_id: "7a7c5c2e-0001-5d6e-8a11-00000000000a",
      page_url: "https://app.example.com/swap?utm_source=news&utm_medium=email",
      page_path: "/swap",
      page_query: "utm_source=news&utm_medium=email",
      page_title: "Swap",
      referrer: "https://www.google.com/search?q=dex",
      browser: "edge",
      os: "windows",
      device: "desktop",
      screen: "1920x1080",
      locale: "de-DE",
      location: "DE",
      region: "DE-BE",
      city: "Berlin",
      utm_source: "news",
      utm_medium: "email",
      utm_campaign: "spring",
    });
    assert.equal(events[1]?.context.page_title, 'Swap, "fast"');
    assert.deepEqual(events[1]?.properties, { tag: "beta" });
    assert.deepEqual(refused, [
      'line 4: event_type is "2" without an event_name; 1 (a page view) or a name was expected',
    ]);
  });

  test("PostHog: properties as an object or as text, identified people, and no address of a machine", async () => {
    const { events, refused } = await readFixture("posthog.jsonl", "posthog");
    const wallet = "0x00000000000000000000000000000000000000AA";
    const id = (n: number) => `imp:posthog:0190aaaa-0000-7000-8000-00000000000${n}`;
    assert.deepEqual(events.map(brief), [
      [id(1), "page", "", "dev-1", "", "", "2025-01-05T09:00:00.123Z"],
      [id(2), "track", "Deposit", "dev-1", wallet, wallet, "2025-01-05T09:02:00.000Z"],
      [id(3), "identify", "", "dev-1", "user-7", "", "2025-01-05T09:03:00.000Z"],
    ]);
    assert.deepEqual(events[0]?.context, {
      session_id: "ses-1",
      page_url: "https://app.example.com/earn?utm_source=x",
      page_path: "/earn",
      browser: "chrome",
      os: "macos",
      device: "desktop",
      location: "FR",
      library_name: "web",
      utm_source: "x",
    });
    assert.deepEqual(events[1]?.properties, { revenue: 12.5, asset: "USDC" });
    assert.doesNotMatch(JSON.stringify(events), /192\.0\.2/);
    assert.deepEqual(refused, [
      'line 4: timestamp is "yesterday", and a time such as 2026-01-31T12:00:00Z was expected',
    ]);
  });

  test("Google Analytics 4: parameters, sessions of a visitor, revenue, and rows without a key", async () => {
    const { events, refused } = await readFixture("ga4.jsonl", "ga4");
    const [first, second, third, fourth] = events.map(brief);
    assert.deepEqual(first, [
      "imp:ga4:111.222.1714640400123456.page_view.1714640399000.3.1",
      "page",
      "",
      "111.222",
      "",
      "",
      "2024-05-02T09:00:00.123Z",
    ]);
    assert.deepEqual(second?.slice(1), ["track", "purchase", "111.222", "user-9", "", "2024-05-02T09:01:00.000Z"]);
    assert.deepEqual(events[0]?.context, {
      session_id: "111.222.1714640400",
      page_url: "https://app.example.com/pools",
      page_title: "Pools",
      referrer: "https://t.co/",
      browser: "safari",
      os: "ios",
      device: "mobile",
      locale: "en-gb",
      location: "GB",
      region: "England",
      city: "London",
      utm_source: "twitter",
      utm_medium: "social",
      utm_campaign: "launch",
      gclid: "g-1",
    });
    assert.deepEqual(events[0]?.properties, { engagement_time_msec: 42 });
    assert.deepEqual(events[1]?.properties, { value: 19.5, currency: "USD", revenue: 19.5 });
    assert.equal(events[1]?.context.location, "TR");
    assert.match(third?.[0] ?? "", /^imp:ga4:[\w-]{24}\.0$/);
    assert.equal(fourth?.[0], third?.[0]?.replace(/0$/, "1"), "an equal row is another event");
    assert.deepEqual(refused, ["line 5: it names no visitor, no user and no wallet"]);
  });

  test("Matomo: the actions of visits, the source on the first one alone, and goals with revenue", async () => {
    const { events, refused } = await readFixture("matomo.json", "matomo");
    const wallet = "0x00000000000000000000000000000000000000bb";
    assert.deepEqual(events.map(brief), [
      ["imp:matomo:314.0", "page", "", "0123456789abcdef", "", "", "2024-05-01T00:00:00.000Z"],
      ["imp:matomo:314.1", "track", "Connect", "0123456789abcdef", "", "", "2024-05-01T00:01:00.000Z"],
      ["imp:matomo:314.2", "track", "Site search", "0123456789abcdef", "", "", "2024-05-01T00:02:00.000Z"],
      ["imp:matomo:314.3", "track", "Order", "0123456789abcdef", "", "", "2024-05-01T00:03:00.000Z"],
      ["imp:matomo:315.0", "page", "", "fedcba9876543210", wallet, wallet, "2024-05-01T01:00:00.000Z"],
    ]);
    assert.deepEqual(events[0]?.context, {
      session_id: "314",
      browser: "chrome mobile",
      os: "android",
      device: "smartphone",
      screen: "412x915",
      locale: "en",
      location: "US",
      region: "Texas",
      city: "Austin",
      utm_campaign: "newsletter, may",
      utm_term: "dex",
      page_url: "https://app.example.com/",
      page_title: "Home [new]",
    });
    assert.equal(events[1]?.context.utm_campaign, undefined);
    assert.deepEqual(events[1]?.properties, { category: "Wallet", name: "MetaMask", value: 1 });
    assert.deepEqual(events[3]?.properties, { order_id: "A1", revenue: "30.00" });
    assert.equal(events[4]?.context.referrer, "https://news.example.org/a");
    assert.equal(events[4]?.context.location, undefined);
    assert.deepEqual(refused, ["row 2: it has no timestamp in actionDetails.1", "row 3: it has no list actionDetails"]);
  });

  test("Mixpanel: an insert id counts with its person and time, and old rows without one get their hash", async () => {
    const { events, refused } = await readFixture("mixpanel.ndjson", "mixpanel");
    const wallet = "0x00000000000000000000000000000000000000Cc";
    const [first, second, third] = events.map(brief);
    assert.deepEqual(first, [
      "imp:mixpanel:$device:d-1.1700000000.ins1",
      "page",
      "",
      "d-1",
      "",
      "",
      "2023-11-14T22:13:20.000Z",
    ]);
    assert.deepEqual(second, [
      "imp:mixpanel:user-3.1700000060.ins1",
      "track",
      "Stake",
      "d-1",
      "user-3",
      wallet,
      "2023-11-14T22:14:20.000Z",
    ]);
    assert.match(third?.[0] ?? "", /^imp:mixpanel:[\w-]{24}\.0$/);
    assert.deepEqual(third?.slice(1), ["track", "Old", "user-4", "", "", "2014-05-13T16:53:20.000Z"]);
    assert.deepEqual(events[0]?.context, {
      page_url: "https://app.example.com/stake",
      page_title: "Stake",
      referrer: "https://duckduckgo.com/",
      browser: "brave",
      os: "windows",
      location: "BR",
      city: "Rio",
      library_name: "web",
      utm_campaign: "winter",
    });
    assert.deepEqual(events[1]?.properties, { wallet_address: wallet, amount: 3, volume: "120.5" });
    assert.deepEqual(refused, ["line 4: it has no time"]);
  });

  test("Amplitude: browser and system of the web, and events outside of sessions", async () => {
    const { events, refused } = await readFixture("amplitude.jsonl", "amplitude");
    const wallet = "0x00000000000000000000000000000000000000dd";
    assert.deepEqual(events.map(brief), [
      ["imp:amplitude:u-1", "page", "", "dev-A", "", "", "2023-06-01T08:00:00.250Z"],
      ["imp:amplitude:u-2", "track", "Mint", "dev-A", wallet, wallet, "2023-06-01T08:01:00.000Z"],
    ]);
    assert.deepEqual(events[0]?.context, {
      session_id: "dev-A.1685606400000",
      page_url: "https://app.example.com/nft",
      page_path: "/nft",
      page_title: "NFT",
      referrer: "https://x.com/",
      browser: "firefox",
      os: "macos",
      locale: "Japanese",
      location: "JP",
      region: "Tokyo",
      city: "Tokyo",
      library_name: "amplitude-ts/2.1",
      utm_source: "x",
    });
    assert.deepEqual(events[1]?.context, { os: "android", location: "JP" });
    assert.deepEqual(events[1]?.properties, { points: 5 });
    assert.deepEqual(refused, ["line 3: it names no visitor, no user and no wallet"]);
  });

  test("Segment: calls that are events, and those about groups without a word", async () => {
    const { events, refused } = await readFixture("segment.ndjson", "segment");
    const wallet = "0x00000000000000000000000000000000000000EE";
    assert.deepEqual(events.map(brief), [
      ["imp:segment:ajs-1", "page", "", "an-1", "", "", "2022-12-24T18:00:00.000Z"],
      ["imp:segment:ajs-2", "track", "Vote Cast", "an-1", "u-5", wallet, "2022-12-24T18:01:00.000Z"],
      ["imp:segment:ajs-4", "track", "Home", "an-2", "", "", "2022-12-24T18:03:00.000Z"],
    ]);
    assert.deepEqual(events[0]?.context, {
      page_url: "https://app.example.com/vote",
      page_path: "/vote",
      page_title: "Vote",
      referrer: "https://mail.example.se/",
      user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
      timezone: "Europe/Stockholm",
      locale: "sv-SE",
      utm_source: "mail",
      utm_medium: "email",
      utm_campaign: "xmas",
    });
    assert.deepEqual(events[1]?.properties, { proposal: 142 });
    assert.doesNotMatch(JSON.stringify(events), /192\.0\.2/);
    assert.deepEqual(refused, ['line 5: type is "teleport"; page, track, identify or screen was expected']);
  });

  test("generic: columns by their names, equal rows as two events, and every bad row with its line", async () => {
    const { events, refused } = await readFixture("generic.csv", "generic");
    assert.deepEqual(
      events.map((event) => brief(event).slice(1)),
      [
        ["track", "Order", "v-1", "", "", "2021-07-01T12:00:00.000Z"],
        ["track", "Order", "v-1", "u-1", "", "2021-07-01T12:01:00.000Z"],
        ["page", "", "v-2", "", "", "2021-07-01T12:00:00.000Z"],
        ["track", "Order", "v-1", "", "", "2021-07-01T12:00:00.000Z"],
      ],
    );
    assert.deepEqual(events[0]?.context, { page_url: "https://app.example.com/buy", location: "DE" });
    assert.deepEqual(events[0]?.properties, { amount: "12.50", revenue: 12.5 });
    assert.equal(events[3]?.message_id, events[0]?.message_id.replace(/0$/, "1"));
    assert.deepEqual(refused, [
      "line 6: it has neither a type, an event nor a page_url",
      "line 7: it names no visitor, no user and no wallet",
      'line 8: properties is "not json", and a JSON object was expected',
      "line 9: it has 2 columns, and the header has 8",
      "line 10: its time, 2999-07-01T12:00:00.000Z, is in the future",
    ]);
  });

  test("generic: a mapping names columns, gives values, and its own ids stay as they are", async () => {
    const mapping = {
      columns: new Map([
        ["message_id", "event_id"],
        ["anonymous_id", "session_id"],
        ["timestamp", "created_at"],
        ["properties.host", "hostname"],
      ]),
      values: new Map([["event", "Seen"]]),
    };
    const { events } = await readFixture("umami.csv", "generic", mapping);
    assert.deepEqual(brief(events[0] as Wire), [
      "018f1c2e-aaaa-7d6e-8a11-000000000001",
      "track",
      "Seen",
      "0b9f5c2e-0001-5d6e-8a11-000000000001",
      "",
      "",
      "2024-03-01T10:15:00.000Z",
    ]);
    assert.equal(events[0]?.properties.host, "app.example.com");
    assert.equal(events.length, 3);
  });

  test("generic: the click ids of all networks are in the context, where the paid source is read", () => {
    const clicks = { gclid: "g", fbclid: "f", msclkid: "m", ttclid: "t", twclid: "w", li_fat_id: "l", rdt_cid: "r" };
    const row = { time: "2026-01-01T00:00:00Z", event: "Visit", anonymous_id: "v", ...clicks, plan: "pro" };
    const [event] = makeMapper("generic", NO_MAPPING)(row);
    assert.ok(event && !(event instanceof Error));
    assert.deepEqual(event.context, clicks);
    assert.deepEqual(event.properties, { plan: "pro" });
  });

  test("numbers that a double cannot hold stay as the file has them", () => {
    const amount = "123456789012345678901234567890";
    const row = parseRow(
      1,
      `{"timestamp":1700000000,"event":"Swap","address":"0xa","wei":${amount},"nested":{"n":[${amount}]}}`,
    );
    const given = parseRow(2, `{"timestamp":1700000000,"event":"Swap","address":"0xa","properties":{"wei":${amount}}}`);
    const mapper = createRowMapper({ source: "generic", mapRow: makeMapper("generic", NO_MAPPING), nowMs: NOW });
    assert.match(mapper.map(row, 1).texts[0] ?? "", new RegExp(`"wei":${amount},"nested":{"n":\\[${amount}\\]}`));
    assert.match(mapper.map(given, 2).texts[0] ?? "", new RegExp(`"properties":{"wei":${amount}}`));
  });

  const mapOne = (source: SourceName, row: object) => {
    const mapper = createRowMapper({ source, mapRow: makeMapper(source, NO_MAPPING), nowMs: NOW });
    const { texts, refused } = mapper.map(parseRow(1, JSON.stringify(row)), 1);
    assert.equal(refused, undefined);
    return JSON.parse(texts[0] ?? "") as Wire;
  };

  test("GA4: its words for what a visit does not have are no campaign", () => {
    const params = { source: "(direct)", medium: "(none)", campaign: "(direct)" };
    const event_params = Object.entries(params).map(([key, text]) => ({ key, value: { string_value: text } }));
    const row = { event_name: "page_view", event_timestamp: "1700000000000000", user_pseudo_id: "v", event_params };
    const collected_traffic_source = {
      manual_campaign_name: "(organic)",
      manual_term: "(not set)",
      manual_source: "x",
    };
    assert.deepEqual(mapOne("ga4", row).context, {});
    assert.deepEqual(mapOne("ga4", { ...row, collected_traffic_source }).context, { utm_source: "x" });
  });

  test("a wallet of Solana in a property is the wallet, and an id that looks like one is not", () => {
    const wallet = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";
    const row = { event: "Swap", properties: { time: 1_700_000_000, distinct_id: wallet, wallet_address: wallet } };
    assert.equal(mapOne("mixpanel", row).address, wallet);
    const { wallet_address: _, ...properties } = row.properties;
    assert.equal(mapOne("mixpanel", { ...row, properties }).address, "");
  });
});
