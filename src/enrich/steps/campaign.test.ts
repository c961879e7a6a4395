import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EventRow } from "../row.ts";
import { CLICK_IDS, UTM_FIELDS } from "../tags.ts";
import { sampleDraft } from "../testing.ts";
import type { Fields } from "../text.ts";
import { parseUrl } from "../url.ts";
import { makePutCampaign, readCampaignParams } from "./campaign.ts";
import { makePutPage } from "./page.ts";

const putPage = makePutPage(parseUrl);
const putCampaign = makePutCampaign(readCampaignParams);

function campaignOf(context: Fields): EventRow {
  const draft = sampleDraft({ context });
  putPage(draft);
  putCampaign(draft);
  return draft.row;
}

const CASES: [name: string, context: Fields, expected: Partial<EventRow>][] = [
  ["the client's own tags", { utm_source: "x", utm_medium: " cpc " }, { utm_source: "x", utm_medium: "cpc" }],
  ["null tags are empty", { utm_term: null, utm_content: null }, { utm_term: "", utm_content: "" }],
  [
    "tags of the address",
    { page_url: "https://a.com/?utm_source=x&utm_term=a+b%20c" },
    { utm_source: "x", utm_term: "a b c" },
  ],
  ["tags of the query alone", { page_query: "utm_source=x" }, { utm_source: "x" }],
  [
    "the client's tag wins over the address",
    { utm_source: "x", page_url: "https://a.com/?utm_source=y" },
    { utm_source: "x" },
  ],
  [
    "the address wins over the query",
    { page_query: "utm_source=q", page_url: "https://a.com/?utm_source=y" },
    { utm_source: "y" },
  ],
  ["names of parameters ignore case", { page_url: "https://a.com/?UTM_Source=x" }, { utm_source: "x" }],
  ["values keep their case", { page_url: "https://a.com/?utm_source=NewsLetter" }, { utm_source: "NewsLetter" }],
  [
    "the first value that holds something counts",
    { page_url: "https://a.com/?utm_source=&utm_source=x&utm_source=y" },
    { utm_source: "x" },
  ],
  ["a stray percent sign is kept", { page_url: "https://a.com/?utm_campaign=100%" }, { utm_campaign: "100%" }],
  ["ref", { ref: "alice" }, { ref: "alice" }],
  ["referral", { referral: "alice" }, { ref: "alice" }],
  ["refcode", { refcode: "alice" }, { ref: "alice" }],
  ["ref before referral", { referral: "b", ref: "a" }, { ref: "a" }],
  ["ref of the address", { page_url: "https://a.com/?refcode=zed" }, { ref: "zed" }],
  ["ref of the client before that of the address", { ref: "a", page_url: "https://a.com/?ref=b" }, { ref: "a" }],
  ["an empty ref is none", { ref: "", page_url: "https://a.com/?ref=" }, { ref: "" }],
  [
    "wrong types are nothing",
    { utm_source: ["x"], ref: { a: 1 }, gclid: true },
    { utm_source: "", ref: "", gclid: "true" },
  ],
  ["a number is its text", { utm_campaign: 2026 }, { utm_campaign: "2026" }],
  ["NUL bytes are dropped", { utm_source: "a\0b" }, { utm_source: "ab" }],
  ["lone surrogates are replaced", { utm_source: "a\ud83d" }, { utm_source: "a\ufffd" }],
  [
    "other parameters are left alone",
    { page_url: "https://a.com/?__proto__=x&constructor=y&q" },
    { ref: "", utm_source: "" },
  ],
];

describe("campaign", () => {
  for (const [name, context, expected] of CASES) {
    it(name, () => {
      const row = campaignOf(context);
      for (const [column, value] of Object.entries(expected))
        assert.equal(row[column as keyof EventRow], value, column);
    });
  }

  for (const name of [...UTM_FIELDS, ...CLICK_IDS]) {
    it(`${name} is read from the context and from the URL`, () => {
      assert.equal(campaignOf({ [name]: "v1" })[name], "v1");
      assert.equal(campaignOf({ page_url: `https://a.com/?x=1&${name}=v2` })[name], "v2");
    });
  }

  it("a column has a maximum length and never ends inside a surrogate pair", () => {
    const row = campaignOf({ utm_source: "😀".repeat(5_000), utm_term: `a${"😀".repeat(5_000)}` });
    assert.equal(row.utm_source.length, 512);
    assert.equal(row.utm_term.length, 511);
    assert.ok(row.utm_source.isWellFormed() && row.utm_term.isWellFormed());
  });
});
