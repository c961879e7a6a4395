import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readList } from "./csv.ts";
import { loadSources, SOURCE_LISTS, type SourceKind } from "./sources.ts";
import { loadWalletTokens } from "./user-agent.ts";

const LEAST: Readonly<Record<keyof typeof SOURCE_LISTS, number>> = {
  search: 60,
  social: 60,
  video: 20,
  ai: 40,
  mail: 40,
  ads: 40,
  other: 1,
};

const LISTS = (Object.keys(SOURCE_LISTS) as (keyof typeof SOURCE_LISTS)[]).map((kind) => ({
  kind,
  rows: readList(SOURCE_LISTS[kind], ["host", "names"]),
}));

describe("source lists", () => {
  for (const { kind, rows } of LISTS) {
    it(`${kind} holds at least ${LEAST[kind]} hosts, well formed and sorted`, () => {
      assert.ok(rows.length >= LEAST[kind], `${rows.length}`);
      for (const [host, names] of rows) {
        assert.match(host, /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:[a-z][a-z0-9]*|\*)$/);
        assert.doesNotMatch(host, /^www\./, "the referrer column never starts with www.");
        for (const name of names.split("|")) assert.match(name, /^$|^[a-z0-9][a-z0-9 ._-]*$/);
      }
      const hosts = rows.map(([host]) => host);
      assert.deepEqual(hosts, hosts.toSorted());
    });
  }

  it("no host and no name is listed twice", () => {
    const all = LISTS.flatMap(({ rows }) => rows);
    const hosts = all.map(([host]) => host);
    const names = all.flatMap(([, spellings]) => spellings.split("|").filter((name) => name !== ""));
    assert.deepEqual(
      hosts.filter((host, at) => hosts.indexOf(host) !== at),
      [],
    );
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    );
  });

  it("wallet tokens are lower case, sorted and unique, and the longest is tried first", () => {
    const tokens = readList("wallet-browsers", ["token", "browser"]).map(([token]) => token);
    assert.ok(tokens.length >= 40);
    assert.deepEqual(tokens, [...new Set(tokens)].toSorted());
    for (const token of tokens) assert.equal(token, token.toLowerCase());
    const lengths = loadWalletTokens().map(([token]) => token.length);
    assert.deepEqual(
      lengths,
      lengths.toSorted((a, b) => b - a),
    );
  });
});

describe("kind of a source", () => {
  const { kindOfHost, kindOfName } = loadSources();

  const hosts: [host: string, kind: SourceKind][] = [
    ["google.com", "search"],
    ["google.co.uk", "search"],
    ["google.com.br", "search"],
    ["images.google.de", "search"],
    ["mail.google.com", "mail"],
    ["gemini.google.com", "ai"],
    ["docs.google.com", "other"],
    ["accounts.google.com", "other"],
    ["mail.yahoo.co.jp", "mail"],
    ["search.yahoo.co.jp", "search"],
    ["yandex.com.tr", "search"],
    ["mail.yandex.ru", "mail"],
    ["go.mail.ru", "search"],
    ["e.mail.ru", "mail"],
    ["tieba.baidu.com", "social"],
    ["l.facebook.com", "social"],
    ["old.reddit.com", "social"],
    ["pinterest.co.uk", "social"],
    ["m.youtube.com", "video"],
    ["someone.substack.com", "mail"],
    ["googleads.g.doubleclick.net", "ads"],
    ["com.google.android.gm", "mail"],
    ["com.google.android.youtube", "video"],
    // A suffix matches only at a label, not at any ending.
    ["notgoogle.com", "unknown"],
    ["xx.com", "unknown"],
    ["fedex.com", "unknown"],
    ["google.com.evil.example", "unknown"],
    ["google.evil.example", "unknown"],
    ["com", "unknown"],
    ["", "unknown"],
    [".", "unknown"],
    ["..", "unknown"],
    ["127.0.0.1", "unknown"],
    ["localhost", "unknown"],
    ["constructor", "unknown"],
    [`${"a.".repeat(5_000)}com`, "unknown"],
  ];
  for (const [host, kind] of hosts) {
    it(`${host.slice(0, 40) || "(empty)"} is ${kind}`, () => assert.equal(kindOfHost(host), kind));
  }

  const names: [name: string, kind: SourceKind][] = [
    ["google", "search"],
    [" Google ", "search"],
    ["GOOGLE.COM", "search"],
    ["bing", "search"],
    ["fb", "social"],
    ["ig", "social"],
    ["x", "social"],
    ["Twitter", "social"],
    ["t.co", "social"],
    ["https://chatgpt.com/", "ai"],
    ["//WWW.google.de:443/search?q=1", "search"],
    ["t.co/abc", "social"],
    ["https://acme.example/chatgpt.com", "unknown"],
    ["tiktok", "social"],
    ["yt", "video"],
    ["chatgpt", "ai"],
    ["gmail", "mail"],
    ["taboola", "ads"],
    ["acme", "unknown"],
    ["", "unknown"],
    ["__proto__", "unknown"],
  ];
  for (const [name, kind] of names) {
    it(`the name ${JSON.stringify(name)} is ${kind}`, () => assert.equal(kindOfName(name), kind));
  }
});
