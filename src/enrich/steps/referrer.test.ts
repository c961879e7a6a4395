import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sampleDraft } from "../testing.ts";
import type { Fields } from "../text.ts";
import { parseUrl, registrableDomain } from "../url.ts";
import { makePutReferrer } from "./referrer.ts";

const putReferrer = makePutReferrer({ readUrl: parseUrl, registrableDomain });

const CASES: [page: string, context: Fields, referrer: string, referrerUrl: string][] = [
  [
    "https://a.com/",
    { referrer: "https://www.google.com/search?q=x" },
    "google.com",
    "https://www.google.com/search?q=x",
  ],
  ["https://a.com/", { referrer: "https://T.CO/abc" }, "t.co", "https://T.CO/abc"],
  ["", { referrer: "https://b.com/x" }, "b.com", "https://b.com/x"],
  ["https://a.com/", { referrer_url: "https://b.com/x", referrer: "c.com" }, "b.com", "https://b.com/x"],
  ["https://a.com/", { referrer_url: "", referrer: "c.com" }, "c.com", "c.com"],
  ["https://a.com/", { referrer_url: "about:blank", referrer: "c.com/y" }, "c.com", "c.com/y"],
  ["https://a.com/", { referrer: "//c.com/y" }, "c.com", "//c.com/y"],
  [
    "https://a.com/",
    { referrer: "android-app://com.google.android.gm/" },
    "com.google.android.gm",
    "android-app://com.google.android.gm/",
  ],
  // Pages of the same owner.
  ["https://a.com/", { referrer: "https://a.com/other" }, "", ""],
  ["https://app.a.com/", { referrer: "https://www.a.com/" }, "", ""],
  ["https://a.co.uk/", { referrer: "https://docs.a.co.uk/" }, "", ""],
  ["https://A.com/", { referrer: "https://APP.a.COM/" }, "", ""],
  ["http://localhost:3000/", { referrer: "http://localhost:5173/" }, "", ""],
  ["http://127.0.0.1/", { referrer: "http://127.0.0.1:8080/" }, "", ""],
  // Hosts of other owners with similar names.
  ["https://a.co.uk/", { referrer: "https://b.co.uk/" }, "b.co.uk", "https://b.co.uk/"],
  ["https://one.vercel.app/", { referrer: "https://two.vercel.app/" }, "two.vercel.app", "https://two.vercel.app/"],
  ["https://one.github.io/", { referrer: "https://two.github.io/" }, "two.github.io", "https://two.github.io/"],
  ["https://a.com/", { referrer: "https://nota.com/" }, "nota.com", "https://nota.com/"],
  ["http://10.0.0.1/", { referrer: "http://10.0.0.2/" }, "10.0.0.2", "http://10.0.0.2/"],
  // Nothing usable.
  ["https://a.com/", {}, "", ""],
  ["https://a.com/", { referrer: null }, "", ""],
  ["https://a.com/", { referrer: "direct" }, "", ""],
  ["https://a.com/", { referrer: "$direct" }, "", ""],
  ["https://a.com/", { referrer: "someone@b.com" }, "", ""],
  ["https://a.com/", { referrer: "about:client" }, "", ""],
  ["https://a.com/", { referrer: "chrome-extension://abcdef/popup.html" }, "", ""],
  ["https://a.com/", { referrer: "javascript:alert(1)" }, "", ""],
  ["https://a.com/", { referrer: { url: "https://b.com" } }, "", ""],
  ["https://a.com/", { referrer: 12 }, "", ""],
];

describe("referrer", () => {
  for (const [page, context, referrer, referrerUrl] of CASES) {
    it(`on ${page || "no page"}, ${JSON.stringify(context)} is ${referrer || "no referrer"}`, () => {
      const draft = sampleDraft({ context });
      draft.page = parseUrl(page);
      putReferrer(draft);
      assert.equal(draft.row.referrer, referrer);
      assert.equal(draft.row.referrer_url, referrerUrl);
    });
  }
});
