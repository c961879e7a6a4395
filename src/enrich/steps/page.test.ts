import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EventRow } from "../row.ts";
import { sampleDraft } from "../testing.ts";
import type { Fields } from "../text.ts";
import { parseUrl } from "../url.ts";
import { makePutPage } from "./page.ts";

const putPage = makePutPage(parseUrl);

const CASES: [name: string, context: Fields, properties: Fields, expected: Partial<EventRow>, type?: string][] = [
  [
    "a plain address",
    { page_url: "https://www.Example.com:8443/Swap/eth?a=1#top" },
    {},
    { origin: "example.com", pathname: "/Swap/eth", page_query: "a=1" },
  ],
  [
    "www. is dropped, other subdomains stay",
    { page_url: "https://app.example.com" },
    {},
    { origin: "app.example.com", pathname: "/" },
  ],
  ["a host named www stays", { page_url: "https://www.com/" }, {}, { origin: "www.com" }],
  ["a trailing dot is dropped", { page_url: "https://example.com./" }, {}, { origin: "example.com" }],
  ["localhost", { page_url: "http://localhost:5173/x" }, {}, { origin: "localhost", pathname: "/x" }],
  ["the client's path wins", { page_url: "https://a.com/x", page_path: "/y" }, { path: "/z" }, { pathname: "/y" }],
  ["the path of the address comes next", { page_url: "https://a.com/x" }, { path: "/z" }, { pathname: "/x" }],
  ["then the path of the properties", {}, { path: "/z" }, { pathname: "/z", origin: "" }],
  ["an unreadable address gives no origin", { page_url: "not a url" }, { path: "/z" }, { origin: "", pathname: "/z" }],
  ["a file gives no origin", { page_url: "file:///etc/passwd" }, {}, { origin: "", pathname: "" }],
  [
    "a page event may carry it all in its properties",
    {},
    { url: "https://a.com/x?b=2" },
    { page_url: "https://a.com/x?b=2", origin: "a.com", pathname: "/x", page_query: "b=2" },
  ],
  [
    "the url of a track event's properties is its own business",
    {},
    { url: "https://a.com/x" },
    { page_url: "", origin: "" },
    "track",
  ],
  ["a question mark before the query is dropped", { page_query: "?a=1" }, {}, { page_query: "a=1" }],
  ["wrong types are nothing", { page_url: { a: 1 }, page_path: ["/x"] }, { path: 7 }, { page_url: "", pathname: "7" }],
  [
    "an international name is stored as it travels",
    { page_url: "https://bücher.example/" },
    {},
    { origin: "xn--bcher-kva.example" },
  ],
];

describe("page", () => {
  for (const [name, context, properties, expected, type = "page"] of CASES) {
    it(name, () => {
      const draft = sampleDraft({ context, properties, row: { type } });
      putPage(draft);
      for (const [column, value] of Object.entries(expected)) {
        assert.equal(draft.row[column as keyof EventRow], value, column);
      }
    });
  }

  it("URLs and paths have a maximum length", () => {
    const draft = sampleDraft({
      context: { page_url: `https://a.com/${"x".repeat(50_000)}` },
    });
    putPage(draft);
    assert.equal(draft.row.origin, "a.com");
    assert.equal(draft.row.page_url.length, 4096);
    assert.equal(draft.row.pathname.length, 1024);
  });
});
